import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceCreated } from '@twinyard/events';
import { createService, loadSettings, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import request, { type Test } from 'supertest';
import { notificationsvcSettings } from '../src/config';
import { service } from '../src/service';

export const NS = 'house_a1B2c3D4';
export const BASE = '/notificationsvc/api/v1';
const FILTER = { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' };

export type Made = { readonly _id: string; readonly _version: number } & Record<string, unknown>;

/** The whole service over HTTP with a mail server beside it; `owner` owns `NS`. */
export class NotificationService {
  private unique = 0;

  private constructor(
    readonly passport: FakePassport,
    private readonly databases: readonly [TestDatabase, TestDatabase],
    readonly mail: FakeMailServer,
    readonly app: NestFastifyApplication,
    private readonly owner: string,
  ) {}

  static async start(): Promise<NotificationService> {
    const passport = await FakePassport.start();
    const databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const mail = await FakeMailServer.start();
    const own = { ...testSettings(passport, ...databases), SMTP_URL: mail.url, DELIVERY_LEASE_MS: 12_000, DELIVERY_RETRY_MS: 20, DELIVERY_ATTEMPTS: 4 };
    const app = await createService(service, loadSettings(notificationsvcSettings, Object.fromEntries(Object.entries(own).map(([name, value]) => [name, String(value)]))));
    await app.listen(0, '127.0.0.1');
    passport.addUser({ id: 'owner', email: 'owner@example.com' });
    await passport.grant('owner', NS, ['*']);
    return new NotificationService(passport, databases, mail, app, await passport.token('owner'));
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.mail.stop();
    await this.passport.stop();
    await Promise.all(this.databases.map((database) => database.drop()));
  }

  call(method: 'get' | 'post' | 'put' | 'delete', path: string): Test {
    return request(this.app.getHttpServer())[method](`${BASE}/${path}`).query({ nsfilter: NS }).set('authorization', `Bearer ${this.owner}`);
  }

  async make(kind: string, body: object): Promise<Made> {
    return (await this.call('post', kind).send({ _name: `${kind} ${(this.unique += 1)}`, _namespaces: [NS], ...body }).expect(200)).body as Made;
  }

  /** The owner hears of a file of that name by a mail of this template. */
  async subscribe(fileName: string, mail: object, sender: object = {}): Promise<Made> {
    const from = await this.make('sender', { _transport: 'EMAIL', _email: { _address: 'house@example.com' }, ...sender });
    const letter = await this.make('template', { _transport: 'EMAIL', _email: { _subject: '$request.resource._name', ...mail } });
    const group = await this.make('group', {});
    await this.make('trigger', { _type: 'EVENT', _event: { _filters: { filter: { ...FILTER, 'resource._name': fileName } } }, _senders: [{ _id: from._id }], _templates: [{ _id: letter._id }], _groups: [{ _id: group._id }] });
    return this.make('subscription', { _group: { _id: group._id } });
  }

  async announce(fileName: string): Promise<void> {
    const file = { _id: fileName, _irn: `filesvc:file:${fileName}`, _name: fileName, _namespaces: [NS], _parents: [], _tipId: 'v', _tipVersion: 1, _fileSize: 1, _tags: [], _graphics: false };
    await this.app.get(TypeOrmUnitOfWork).run((tx) => this.app.get(Outbox).append(tx, resourceCreated('filesvc.File', file, { userId: 'owner', requestId: 'r' })));
  }
}
