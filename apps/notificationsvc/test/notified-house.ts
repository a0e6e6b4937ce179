import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceCreated } from '@twinyard/events';
import { createService, loadSettings, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { notificationsvcSettings } from '../src/config';
import { service } from '../src/service';

const BASE = '/notificationsvc/api/v1';

export interface Made {
  readonly _id: string;
  readonly _version: number;
  readonly [field: string]: unknown;
}

/** The service with databases of its own, and what its specs ask it, as any user in any namespace. */
export class NotifiedHouse {
  private unique = 0;
  private readonly apps: NestFastifyApplication[] = [];

  private constructor(readonly passport: FakePassport, private readonly databases: readonly TestDatabase[]) {}

  static async start(): Promise<NotifiedHouse> {
    return new NotifiedHouse(await FakePassport.start(), await Promise.all([createTestDatabase(), createTestDatabase()]));
  }

  /** A replica; the first is asked. An answer of it may weigh less than one of an installation. */
  async boot({ ANSWER_MAX_BYTES, ...settings }: Record<string, string | number>): Promise<NestFastifyApplication> {
    const base = testSettings(this.passport, this.databases[0] as TestDatabase, this.databases[1] as TestDatabase);
    const own = { SMTP_URL: 'smtp://127.0.0.1:9', DELIVERY_RETRY_MS: 10, ...settings };
    const all = Object.fromEntries(Object.entries({ ...base, ...own }).map(([name, value]) => [name, String(value)]));
    const app = await createService(service, { ...loadSettings(notificationsvcSettings, all), ANSWER_MAX_BYTES: Number(ANSWER_MAX_BYTES ?? base.ANSWER_MAX_BYTES) });
    this.apps.push(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  get app(): NestFastifyApplication {
    return this.apps[0] as NestFastifyApplication;
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.apps.splice(0).map((app) => app.close()));
  }

  async stop(): Promise<void> {
    await this.closeAll();
    await this.passport.stop();
    await Promise.all(this.databases.map((database) => database.drop()));
  }

  call(token: string, method: 'get' | 'post' | 'put', path: string, namespace: string) {
    return request(this.app.getHttpServer())[method](`${BASE}/${path}`).query({ nsfilter: namespace }).set('authorization', `Bearer ${token}`);
  }

  async make(token: string, namespace: string, kind: string, body: object): Promise<Made> {
    this.unique += 1;
    return (await this.call(token, 'post', kind, namespace).send({ _name: `${kind} ${this.unique}`, _namespaces: [namespace], ...body }).expect(200)).body as Made;
  }

  /** A group whose members hear of files of this name. */
  async makeTrigger(token: string, namespace: string, transport: 'EMAIL' | 'WEBHOOK', name: string): Promise<{ group: Made; trigger: Made }> {
    const mail = { _email: { _subject: `New: ${name}`, _body: `<b>Look at ${name}</b>` } };
    const sender = await this.make(token, namespace, 'sender', { _transport: transport, _email: { _address: 'anybody@example.com', _displayName: 'Anybody' } });
    const template = await this.make(token, namespace, 'template', { _transport: transport, ...(transport === 'EMAIL' && mail) });
    const group = await this.make(token, namespace, 'group', {});
    const trigger = await this.make(token, namespace, 'trigger', {
      _type: 'EVENT', _event: { _filters: { filter: { 'resource._name': name } } },
      _senders: [{ _id: sender._id }], _templates: [{ _id: template._id }], _groups: [{ _id: group._id }],
    });
    return { group, trigger };
  }

  /** A trigger on files of this name, and a webhook at each of these addresses that hears of it. */
  async watch(token: string, namespace: string, name: string, urls: readonly string[]): Promise<Made> {
    const { group, trigger } = await this.makeTrigger(token, namespace, 'WEBHOOK', name);
    for (const _url of urls) {
      const device = await this.make(token, namespace, 'device', { _transport: 'WEBHOOK', _webhook: { _url } });
      await this.make(token, namespace, 'subscription', { _group: { _id: group._id }, _device: { _id: device._id } });
    }
    return trigger;
  }

  /** Files of this name are uploaded. */
  async upload(namespace: string, name: string, count = 1): Promise<void> {
    const events = Array.from({ length: count }, () => resourceCreated('filesvc.File', {
      _id: name, _irn: `filesvc:file:${name}`, _name: name, _namespaces: [namespace], _parents: [], _tipId: 'v', _tipVersion: 1, _fileSize: 1, _tags: [], _graphics: false,
    }, { userId: 'somebody', requestId: 'r' }));
    await this.app.get(TypeOrmUnitOfWork).run((tx) => this.app.get(Outbox).append(tx, ...events));
  }

  async logOf(token: string, namespace: string, trigger: Made): Promise<Record<string, unknown>[]> {
    const { body } = await this.call(token, 'get', 'notification', namespace).query({ '_trigger._id': trigger._id, _count: 500 }).expect(200);
    return body._list as Record<string, unknown>[];
  }
}
