import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceCreated } from '@twinyard/events';
import { createService, loadSettings, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { type ApiDocument, createTestDatabase, eventually, FakePassport, issuingOperations, type TestDatabase, testSettings } from '@twinyard/testing';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { notificationsvcSettings } from '../src/config';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const BASE = '/notificationsvc/api/v1';

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('webhooks', () => {
  let passport: FakePassport;
  let databases: TestDatabase[];
  let app: NestFastifyApplication;
  let receiver: Server;
  let owner: string;
  const received: Received[] = [];
  const answers: number[] = [];
  let unique = 0;

  beforeAll(async () => {
    passport = await FakePassport.start();
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    receiver = createServer((call, answer) => {
      const chunks: Buffer[] = [];
      call.on('data', (chunk: Buffer) => chunks.push(chunk));
      call.on('end', () => {
        received.push({ url: call.url ?? '', headers: call.headers, text: Buffer.concat(chunks).toString() });
        const status = answers.shift() ?? 204;
        answer.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    app = await boot('true');
    owner = await passport.token('owner');
    passport.addUser({ id: 'owner' });
    await passport.grant('owner', NS, ['*']);
  });

  afterAll(async () => {
    await app?.close();
    await passport?.stop();
    await new Promise((resolve) => receiver?.close(resolve));
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  const boot = async (allowPrivate: string) => {
    const base = testSettings(passport, databases[0] as TestDatabase, databases[1] as TestDatabase);
    const own = { MAIL_DIR: '/nonexistent-is-not-used', SMTP_URL: 'smtp://127.0.0.1:9', WEBHOOK_ALLOW_PRIVATE: allowPrivate, DELIVERY_RETRY_MS: 10, DELIVERY_ATTEMPTS: 3 };
    const booted = await createService(service, loadSettings(notificationsvcSettings, Object.fromEntries(Object.entries({ ...base, ...own }).map(([name, value]) => [name, String(value)]))));
    await booted.listen(0, '127.0.0.1');
    return booted;
  };
  const urlOf = (path: string, host = '127.0.0.1') => `http://${host}:${(receiver.address() as AddressInfo).port}${path}`;
  const call = (method: 'get' | 'post' | 'put', path: string) => request(app.getHttpServer())[method](`${BASE}/${path}`).query({ nsfilter: NS }).set('authorization', `Bearer ${owner}`);
  const make = async (kind: string, body: object) => (await call('post', kind).send({ _name: `${kind} ${(unique += 1)}`, _namespaces: [NS], ...body }).expect(200)).body as Record<string, unknown> & { _id: string };
  const subscribe = async (name: string, device: { _id: string }) => {
    const sender = await make('sender', { _transport: 'WEBHOOK', _webhook: { _userAgent: 'House/1' } });
    const template = await make('template', { _transport: 'WEBHOOK' });
    const group = await make('group', {});
    await make('subscription', { _group: { _id: group._id }, _device: { _id: device._id } });
    return make('trigger', {
      _type: 'EVENT', _event: { _filters: { filter: { 'resource._name': name } } }, _senders: [{ _id: sender._id }], _templates: [{ _id: template._id }], _groups: [{ _id: group._id }],
    });
  };
  const publish = (name: string) => {
    const event = resourceCreated('filesvc.File', {
      _id: name, _irn: `filesvc:file:${name}`, _name: name, _namespaces: [NS], _parents: [], _tipId: 'v', _tipVersion: 1, _fileSize: 1, _tags: [], _graphics: false,
    }, { userId: 'owner', requestId: 'r' });
    return app.get(TypeOrmUnitOfWork).run((tx) => app.get(Outbox).append(tx, event)).then(() => event);
  };
  const logOf = async (trigger: { _id: string }) => (await call('get', 'notification').query({ '_trigger._id': trigger._id }).expect(200)).body._list as Record<string, unknown>[];

  it('posts the event as a CloudEvent that a third party verifies with the secret shown once', async () => {
    const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf('/hook') } });
    const { _secret } = device['_webhook'] as { _secret: string };
    expect(_secret).toMatch(/^whsec_/);
    const trigger = await subscribe('signed.ifc', device);
    const event = await publish('signed.ifc');
    const hook = await eventually(() => received.find(({ text }) => text.includes('signed.ifc')) ?? Promise.reject(new Error('nothing yet'))) as Received;
    const verified = new Webhook(_secret).verify(hook.text, hook.headers as Record<string, string>) as Record<string, unknown>;
    expect(verified).toMatchObject({ specversion: '1.0', id: event.uuid, type: 'resource.ResourceCreated', source: '/filesvc', subject: 'filesvc:file:signed.ifc', data: { resource: { _name: 'signed.ifc' } } });
    expect(hook.headers).toMatchObject({ 'content-type': 'application/cloudevents+json', 'user-agent': 'House/1' });
    expect(() => new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(hook.text, hook.headers as Record<string, string>)).toThrow();
    await eventually(async () => expect(await logOf(trigger)).toMatchObject([{ _status: 'SENT', _transport: 'WEBHOOK' }]));
  });

  it('tells secrets to tokens that write, by every operation that tells one', async () => {
    const document = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument;
    expect(issuingOperations(document)).toEqual([`POST ${BASE}/device`, `PUT ${BASE}/device/{id}`]);
    const { _id, ...record } = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf('/told') } });
    const reader = `Bearer ${await passport.token('owner', { scopes: ['read'] })}`;
    for (const [method, path] of [['post', 'device'], ['put', `device/${_id}`]] as const) await call(method, path).set('authorization', reader).send(record).expect(403);
  });

  it('makes and changes what sends in somebody\'s name by tokens that write', async () => {
    const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf('/read') } });
    const group = await make('group', {});
    const made = { subscription: await make('subscription', { _group: { _id: group._id }, _device: { _id: device._id } }), trigger: await subscribe('read.ifc', device) };
    const reader = `Bearer ${await passport.token('owner', { scopes: ['read'] })}`;
    for (const [kind, { _id, ...record }] of Object.entries(made)) {
      for (const [method, path] of [['post', kind], ['put', `${kind}/${_id}`]] as const) {
        await call(method, path).set('authorization', reader).send({ ...record, _name: 'By a reader' }).expect(403);
      }
      const { text } = await call('get', kind).query({ _pageSize: 100 }).expect(200);
      expect([text.includes(_id), text.includes('By a reader')]).toEqual([true, false]);
    }
  });

  it('never shows or stores the secret in the clear, and keeps it when the whole record is sent back', async () => {
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const { _id, ...made } = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf('/mine'), _secret: own } });
    expect(made['_webhook']).toEqual({ _url: urlOf('/mine'), _secret: own });
    const { body: read } = await call('get', `device/${_id}`).expect(200);
    expect(read._webhook).toEqual({ _url: urlOf('/mine') });
    const { body: moved } = await call('put', `device/${_id}`).send({ ...read, _webhook: { _url: urlOf('/moved') } }).expect(200);
    expect(moved._webhook).toEqual({ _url: urlOf('/moved') });
    await call('put', `device/${_id}`).send({ ...moved, _webhook: { _url: urlOf('/x'), _secret: own } }).expect(400);
    const sql = new Client({ connectionString: databases[0]?.url });
    await sql.connect();
    expect(JSON.stringify((await sql.query('SELECT body FROM resource WHERE id = $1', [_id])).rows)).not.toContain(own.slice(6, 30));
    await sql.end();
    await subscribe('moved.ifc', { _id });
    await publish('moved.ifc');
    const hook = await eventually(() => received.find(({ url }) => url === '/moved') ?? Promise.reject(new Error('nothing yet'))) as Received;
    expect(new Webhook(own).verify(hook.text, hook.headers as Record<string, string>)).toBeTruthy();
  });

  it('tries again with the same id, follows no redirect, and gives up with the status', async () => {
    const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf('/flaky') } });
    const trigger = await subscribe('flaky*.ifc', device);
    answers.push(500);
    await publish('flaky1.ifc');
    await eventually(async () => expect(await logOf(trigger)).toMatchObject([{ _status: 'SENT', _attempts: 2 }]));
    const ids = received.filter(({ url }) => url === '/flaky').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    answers.push(302, 302, 302);
    await publish('flaky2.ifc');
    await eventually(async () => expect(await logOf(trigger)).toContainEqual(expect.objectContaining({ _status: 'ERROR', _error: 'the webhook answered 302' })));
    expect(received.some(({ url }) => url === '/elsewhere')).toBe(false);
  });

  it('takes hosts as names servers have them: with underscores, a final dot, a port, an address', async () => {
    for (const host of ['my_hook.example.com', '_hooks._tcp.example.com', 'hooks.example.com.', 'hooks:8080', 'localhost.', '192.0.2.7', '[2001:db8::1]:8443', 'bücher.example']) {
      expect((await make('device', { _transport: 'WEBHOOK', _webhook: { _url: `https://${host}/hook?a=b%20c` } }))['_webhook']).toMatchObject({ _url: `https://${host}/hook?a=b%20c` });
    }
  });

  it('refuses what is no address, and secrets of another form', async () => {
    for (const _webhook of [{ _url: 'ftp://a.example/x' }, { _url: 'http://user:pw@a.example' }, { _url: 'nonsense' }, {}, { _url: urlOf('/x'), _secret: 'short' }, undefined]) {
      await call('post', 'device').send({ _namespaces: [NS], _transport: 'WEBHOOK', _webhook }).expect(400);
    }
  });

  it('calls no private address, by number or by name, unless a setting allows it', async () => {
    await app.close();
    app = await boot('false');
    for (const host of ['127.0.0.1', 'localhost']) {
      const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: urlOf(`/private-${host}`, host) } });
      const trigger = await subscribe(`${host}.ifc`, device);
      await publish(`${host}.ifc`);
      await eventually(async () => expect(await logOf(trigger)).toMatchObject([{ _status: 'ERROR', _error: expect.stringContaining('private address') }]));
    }
    expect(received.some(({ url }) => url.startsWith('/private-'))).toBe(false);
  });
});
