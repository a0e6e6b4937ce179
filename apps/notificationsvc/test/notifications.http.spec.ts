import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceCreated, resourceDeleted } from '@twinyard/events';
import { createService, loadSettings, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { Client } from 'pg';
import PostalMime from 'postal-mime';
import request from 'supertest';
import { notificationsvcSettings } from '../src/config';
import { service } from '../src/service';
import { TriggerEvents } from '../src/triggers/trigger.events';
import { FakeMailServer } from '@twinyard/testing/mail-server';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';
const BASE = '/notificationsvc/api/v1';
const FILTER = { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' } };

describe('triggers and notifications over HTTP', () => {
  let passport: FakePassport;
  let databases: TestDatabase[];
  let mail: FakeMailServer;
  let app: NestFastifyApplication;
  let owner: string;
  let viewer: string;
  let sql: Client;
  let unique = 0;

  beforeAll(async () => {
    passport = await FakePassport.start();
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    mail = await FakeMailServer.start();
    sql = new Client({ connectionString: databases[0]?.url });
    await sql.connect();
    app = await boot({ SMTP_URL: mail.url });
    [owner, viewer] = await Promise.all([passport.token('owner'), passport.token('viewer')]);
    passport.addUser({ id: 'owner', email: 'owner@example.com' });
    passport.addUser({ id: 'viewer', email: 'viewer@example.com' });
    await passport.grant('owner', NS, ['*']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('viewer', NS, ['CREATE', 'READ', 'EDIT', 'DELETE'], 'notificationsvc:subscription:*');
  });

  afterAll(async () => {
    await sql?.end();
    await app?.close();
    await mail?.stop();
    await passport?.stop();
    await Promise.all((databases ?? []).map((database) => database.drop()));
  });

  const boot = async (settings: Record<string, string>) => {
    const base = testSettings(passport, databases[0] as TestDatabase, databases[1] as TestDatabase);
    // A lease that a machine that stops for seconds does not outlast: it is renewed every third of it.
    const own = { DELIVERY_LEASE_MS: '12000', DELIVERY_RETRY_MS: '20', DELIVERY_ATTEMPTS: '4', DELIVERY_PER_NAMESPACE: '1', ...settings };
    const all = Object.fromEntries(Object.entries({ ...base, ...own }).map(([name, value]) => [name, String(value)]));
    const booted = await createService(service, loadSettings(notificationsvcSettings, all));
    await booted.listen(0, '127.0.0.1');
    return booted;
  };
  const call = (token: string, method: 'get' | 'post' | 'put' | 'delete', path: string, ns: string | undefined = NS) =>
    request(app.getHttpServer())[method](`${BASE}/${path}`).query(ns === '' ? {} : { nsfilter: ns }).set('authorization', `Bearer ${token}`);
  const make = async (kind: string, body: object, token = owner) =>
    (await call(token, 'post', kind).send({ _name: `${kind} ${(unique += 1)}`, _namespaces: [NS], ...body }).expect(200)).body as { _id: string; _version: number } & Record<string, unknown>;
  const makeTrigger = async (name: string, changes: object = {}, template: object = {}) => {
    const sender = await make('sender', { _transport: 'EMAIL', _email: { _address: 'house@example.com', _displayName: 'The house' } });
    const letter = await make('template', { _transport: 'EMAIL', _email: { _subject: 'New: $request.resource._name', _body: 'Look at $request.resource._name ($request.resource.type). Stop: $cancelLink', ...template } });
    const group = await make('group', {});
    const trigger = await make('trigger', { _type: 'EVENT', _event: { _filters: { filter: { ...FILTER.filter, 'resource._name': name } } }, _senders: [{ _id: sender._id }], _templates: [{ _id: letter._id }], _groups: [{ _id: group._id }], ...changes });
    return { sender, letter, group, trigger };
  };
  const fileEvent = (name: string, namespace = NS, ...others: string[]) => resourceCreated('filesvc.File', {
    _id: name, _irn: `filesvc:file:${name}`, _name: name, _namespaces: [namespace, ...others], _parents: [], _tipId: 'v', _tipVersion: 1, _fileSize: 1, _tags: [], _graphics: false,
  }, { userId: 'owner', requestId: 'r' });
  const publish = (...events: Parameters<Outbox['append']>[1][]) => app.get(TypeOrmUnitOfWork).run((tx) => app.get(Outbox).append(tx, ...events));
  const purge = async (namespace: string) => {
    await publish(resourceDeleted('passportsvc.Workspace', { _id: namespace, _irn: `passportsvc:workspace:${namespace}`, _namespaces: [namespace], _purge: true }, { userId: 'owner', requestId: 'r' }));
    await eventually(async () => expect((await sql.query('SELECT 1 FROM namespace_purge WHERE namespace = $1 AND finished_at IS NOT NULL', [namespace])).rowCount).toBe(1));
  };
  const logOf = async (triggerId: string) => (await call(owner, 'get', 'notification').query({ '_trigger._id': triggerId, _count: 100 }).expect(200)).body._list as Record<string, unknown>[];

  it('lists by a status that there is', async () => {
    for (const _status of ['SENT', '']) await call(owner, 'get', 'notification').query({ _status }).expect(200);
    const { details } = (await call(owner, 'get', 'notification').query({ _status: 'sent' }).expect(400)).body as { readonly details: object[] };
    expect(details).toEqual([{ field: '_status', issue: expect.stringMatching(/^must be one of .*SENT/) as string }]);
  });

  it('sends a mail that names the uploaded file, once, and keeps a log', async () => {
    const { group, trigger } = await makeTrigger('duplex.ifc');
    const subscription = await make('subscription', { _group: { _id: group._id } }, viewer);
    expect(subscription).toMatchObject({ _status: 'ACCEPTED', _device: { _id: expect.any(String) } });
    const event = fileEvent('duplex.ifc');
    await publish(event, fileEvent('elsewhere.ifc', OTHER));
    const message = await eventually(() => mail.find(({ subject }) => subject === 'New: duplex.ifc'));
    expect(message).toMatchObject({ from: { address: 'house@example.com', name: 'The house' }, to: [{ address: 'viewer@example.com' }] });
    expect(message.text).toContain('Look at duplex.ifc (filesvc.File)');
    await app.get(TypeOrmUnitOfWork).run((tx) => app.get(TriggerEvents).evaluate(tx, [{ ...event, sequence: 1 }]));
    await eventually(async () => expect(await logOf(trigger._id)).toMatchObject([{ _status: 'SENT', _eventId: event.uuid, _attempts: 1, _owner: { _irn: 'passportsvc:user:viewer' } }]));
    expect(mail.count(({ subject }) => subject.includes('elsewhere'))).toBe(0);
  });

  it('takes many events at once: one statement for all of which nobody is to hear, and each told once, also when the batch failed before', async () => {
    const { group, trigger } = await makeTrigger('batch*.ifc');
    await make('subscription', { _group: { _id: group._id } });
    const evaluate = (...events: ReturnType<typeof fileEvent>[]) => app.get(TypeOrmUnitOfWork).run(async (tx) => {
      const statements: string[] = [];
      const counting = Object.assign(Object.create(tx) as typeof tx, { query: (sql: string, parameters?: unknown[]) => (statements.push(sql), tx.query(sql, parameters)) });
      await app.get(TriggerEvents).evaluate(counting, events.map((event) => ({ ...event, sequence: 1 })));
      return statements.length;
    });
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => fileEvent(`batch ${index}.ifc`));
    const [first, second] = numbered(2) as [ReturnType<typeof fileEvent>, ReturnType<typeof fileEvent>];
    expect(await evaluate(...Array.from({ length: 50 }, (_, index) => fileEvent(`${index}.ifc`, OTHER)))).toBe(1);
    // Triggers, subscriptions, device, sender and template once; one for each event that is told of; and one for all that is ordered then.
    expect(await evaluate(second, first, second, fileEvent('elsewhere.ifc', OTHER))).toBe(9);
    expect(await evaluate(first, second)).toBe(8);
    const others = numbered(6).slice(2);
    // No store takes half a character.
    await expect(evaluate(...others, fileEvent('batch \ud800.ifc'))).rejects.toThrow();
    await publish(...others);
    await eventually(async () => expect((await logOf(trigger._id)).map(({ _eventId, _status }) => [_eventId, _status]).toSorted()).toEqual([first, second, ...others].map(({ uuid }) => [uuid, 'SENT']).toSorted()));
  });

  it('tries again when the mail server fails, and gives up with the reason', async () => {
    const { group, trigger } = await makeTrigger('*o*.ifc');
    await make('subscription', { _group: { _id: group._id } });
    mail.failNext(2);
    await publish(fileEvent('stubborn.ifc'));
    await eventually(() => mail.find(({ subject }) => subject === 'New: stubborn.ifc'));
    mail.failNext(100);
    await publish(fileEvent('lost.ifc'));
    await eventually(async () => expect(await logOf(trigger._id)).toContainEqual(expect.objectContaining({ _status: 'ERROR', _attempts: 4, _error: expect.stringContaining('451') })));
    mail.failNext(0);
  });

  it('skips what cannot be sent: no template, no right any more, subscription cancelled by its link', async () => {
    const { group, trigger } = await makeTrigger('untold.ifc', { _templates: [] });
    await make('subscription', { _group: { _id: group._id } });
    await publish(fileEvent('untold.ifc'));
    await eventually(async () => expect(await logOf(trigger._id)).toMatchObject([{ _status: 'SKIPPED', _error: 'the trigger has no template for EMAIL' }]));

    const passer = await passport.token('passer');
    passport.addUser({ id: 'passer', email: 'passer@example.com' });
    await passport.grant('passer', NS, ['READ', 'CREATE'], 'notificationsvc:*:*');
    const second = await makeTrigger('secret.ifc');
    const { body: mine } = await call(passer, 'post', 'subscription').send({ _namespaces: [NS], _group: { _id: second.group._id } }).expect(200);
    await passport.revokeAll('passer');
    await publish(fileEvent('secret.ifc'));
    await eventually(async () => expect(await logOf(second.trigger._id)).toMatchObject([{ _status: 'SKIPPED', _subscription: { _id: mine._id }, _error: expect.stringContaining('may not see') }]));
  });

  it('stops a subscription by the link of its mail, after asking', async () => {
    const { group } = await makeTrigger('first.ifc');
    const subscription = await make('subscription', { _group: { _id: group._id } });
    await publish(fileEvent('first.ifc'));
    const message = await eventually(() => mail.find(({ subject, to }) => subject === 'New: first.ifc' && to?.[0]?.address === 'owner@example.com'));
    const path = new URL((/Stop: (\S+)/.exec(message.text ?? '') ?? [])[1] as string).pathname;
    expect((await request(app.getHttpServer()).get(path).expect(200)).text).toContain('<form method="post">');
    expect((await call(owner, 'get', `subscription/${subscription._id}`).expect(200)).body._status).toBe('ACCEPTED');
    await request(app.getHttpServer()).post(path).expect(200);
    expect((await call(owner, 'get', `subscription/${subscription._id}`).expect(200)).body._status).toBe('CANCELLED');
    await request(app.getHttpServer()).post(path.replace(/.(?=.{9}$)/, (one) => (one === 'x' ? 'y' : 'x'))).expect(404);
  });

  it('escapes values in an HTML body and not in plain text, and survives a hostile template', async () => {
    const html = await makeTrigger('<b>*', {}, { _body: '<p>$request.resource._name</p>' });
    await make('subscription', { _group: { _id: html.group._id } });
    const endless = await makeTrigger('<b>*', {}, { _body: '#foreach($i in [1..900000000])x#end' });
    await make('subscription', { _group: { _id: endless.group._id } });
    const escape = await makeTrigger('<b>*', {}, { _body: '$request.constructor.constructor("return process.pid")' });
    await make('subscription', { _group: { _id: escape.group._id } });
    await publish(fileEvent('<b>&.ifc'));
    const sent = await eventually(() => mail.find(({ html: body }) => body?.includes('&lt;b&gt;&amp;.ifc') === true));
    expect(sent.subject).toBe('New: <b>&.ifc');
    await eventually(async () => expect(await logOf(endless.trigger._id)).toMatchObject([{ _error: expect.any(String) }]));
    await eventually(() => mail.find(({ text }) => text?.includes('constructor') === true));
    await call(owner, 'delete', `trigger/${endless.trigger._id}`).expect(200);
  });

  it('refuses bad bodies with every field, and references that are not there', async () => {
    const { body: error } = await call(owner, 'post', 'trigger').send({ _namespaces: [NS], _type: 'CRON', _event: 1 }).expect(400);
    expect((error.details as { field: string }[]).map(({ field }) => field)).toEqual(expect.arrayContaining(['_type', '_event']));
    await call(owner, 'post', 'trigger').send({ _namespaces: [NS], _type: 'EVENT', _event: { _filters: FILTER } }).expect(400);
    await call(owner, 'post', 'trigger').send({ _name: 'x', _namespaces: [NS], _type: 'EVENT', _event: { _filters: FILTER }, _script: { userType: 'x' } }).expect(400);
    const missing = await call(owner, 'post', 'trigger').send({ _name: 'x', _namespaces: [NS], _type: 'EVENT', _event: { _filters: FILTER }, _groups: [{ _id: 'nope' }] }).expect(400);
    expect(missing.body.details[0].field).toBe('_groups[0]._id');
    await call(owner, 'post', 'template').send({ _name: 'x', _namespaces: [NS], _transport: 'EMAIL', _email: { _subject: 'a', _body: '#if(' } }).expect(400);
    await call(owner, 'post', 'group').send({ _name: 'x', _namespaces: [NS, OTHER] }).expect(400);
    await call(owner, 'post', 'group').send([]).expect(400);
  });

  it('keeps names unique and unchanged, and versions locked', async () => {
    const group = await make('group', { _name: 'team', _description: 'a' });
    await call(owner, 'post', 'group').send({ _name: 'team', _namespaces: [NS] }).expect(409);
    await call(owner, 'put', `group/${group._id}`).send({ ...group, _name: 'other' }).expect(400);
    const { body: changed } = await call(owner, 'put', `group/${group._id}`).send({ ...group, _description: 'b' }).expect(200);
    expect(changed).toMatchObject({ _version: 2, _description: 'b', _name: 'team' });
    await call(owner, 'put', `group/${group._id}`).send(group).expect(409);
    await call(owner, 'put', `group/${group._id}`).query({ _version: 1 }).send({}).expect(409);
    await call(owner, 'delete', `group/${group._id}`).query({ _version: 1 }).expect(409);
    expect((await call(owner, 'delete', `group/${group._id}`).query({ _version: 2 }).expect(200)).body).toEqual({});
    await call(owner, 'get', `group/${group._id}`).expect(404);
  });

  it('lists ten by default, by name, with or without nsfilter', async () => {
    for (let i = 0; i < 11; i += 1) await make('device', { _transport: 'EMAIL' });
    const all = (await call(owner, 'get', 'device', '').expect(200)).body;
    expect(all).toMatchObject({ _offset: 0, _pageSize: 10 });
    expect(all._list).toHaveLength(10);
    expect((await call(owner, 'get', 'device').query({ _count: 3, _offset: 1 }).expect(200)).body._list[0]._id).toBe(all._list[1]._id);
    expect((await call(owner, 'get', 'device').query({ _name: all._list[0]._name }).expect(200)).body._total).toBe(1);
    expect((await call(owner, 'get', 'device', '').query({ _namespace: OTHER }).expect(200)).body._total).toBe(0);
  });

  it('is closed to others: no token, a viewer, another tenant', async () => {
    const { trigger, group } = await makeTrigger('none');
    await request(app.getHttpServer()).get(`${BASE}/trigger`).expect(401);
    await call(viewer, 'put', `trigger/${trigger._id}`).send(trigger).expect(403);
    await call(viewer, 'delete', `trigger/${trigger._id}`).expect(403);
    await call(viewer, 'post', 'group').send({ _name: 'v', _namespaces: [NS] }).expect(403);
    const stranger = await passport.token('stranger');
    await passport.grant('stranger', OTHER, ['*']);
    await call(stranger, 'get', `trigger/${trigger._id}`, '').expect(404);
    expect((await call(stranger, 'get', 'trigger', '').expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    expect((await call(stranger, 'get', 'notification', '').expect(200)).body._total).toBe(0);
    passport.addUser({ id: 'stranger' });
    await call(stranger, 'post', 'subscription', OTHER).send({ _namespaces: [OTHER], _group: { _id: group._id } }).expect(400);
  });

  it('keeps nothing of a purged namespace, and of the others all that there was', async () => {
    const gone = 'gone_a1B2c3D4';
    await passport.grant('owner', gone, ['*']);
    const makeIn = async (kind: string, body: object) => (await call(owner, 'post', kind, gone).send({ _name: kind, _namespaces: [gone], ...body }).expect(200)).body as { _id: string };
    const template = await makeIn('template', { _transport: 'EMAIL', _email: { _subject: 'New', _body: 'New' } });
    const group = await makeIn('group', {});
    const trigger = await makeIn('trigger', { _type: 'EVENT', _event: { _filters: FILTER }, _senders: [], _templates: [{ _id: template._id }], _groups: [{ _id: group._id }] });
    await makeIn('subscription', { _group: { _id: group._id } });
    await publish(fileEvent('last.ifc', gone));
    await eventually(async () => expect((await call(owner, 'get', 'notification', gone).query({ '_trigger._id': trigger._id })).body._total).toBe(1));
    const left = async (table: string) => (await sql.query<{ id: string; gone: boolean }>(`SELECT id, strpos(t::text, $1) > 0 AS gone FROM ${table} t ORDER BY id`, [gone])).rows;
    const tables = [await left('resource'), await left('notification')];
    const others = tables.map((rows) => rows.filter((row) => !row.gone));
    // Template, group, trigger, the subscription and the owner's device; one notification.
    expect(tables.map((rows, index) => rows.length - (others[index]?.length ?? 0))).toEqual([5, 1]);
    expect(others.every(({ length }) => length > 0)).toBe(true);

    await purge(gone);
    expect([await left('resource'), await left('notification')]).toEqual(others);
  });

  it('keeps nothing that was told of a purged namespace, or is told of it late, and tells of what lies elsewhere too', async () => {
    const gone = 'late_a1B2c3D4';
    const { group, trigger } = await makeTrigger('shared*.ifc');
    await make('subscription', { _group: { _id: group._id } });
    const [early, late] = [fileEvent('shared early.ifc', NS, gone), fileEvent('shared late.ifc', NS, gone)];
    const told = async () => (await logOf(trigger._id)).map(({ _eventId, _status }) => `${String(_eventId)} ${String(_status)}`).toSorted();
    await publish(early);
    await eventually(async () => expect(await told()).toEqual([`${early.uuid} SENT`]));
    const mentions = async () => (await sql.query("SELECT FROM notification n WHERE strpos(n::text, $1) > 0", [gone])).rowCount;
    expect(await mentions()).toBe(1);

    await purge(gone);
    expect(await mentions()).toBe(0);
    await publish(late, fileEvent('shared alone.ifc', gone));
    await eventually(async () => expect(await told()).toEqual([`${early.uuid} SENT`, `${late.uuid} SENT`].toSorted()));
    expect(await mentions()).toBe(0);
  });

  it('writes mails as files where there is no mail server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-mail-'));
    await app.close();
    app = await boot({ MAIL_DIR: folder });
    const { group } = await makeTrigger('to-a-file.ifc');
    await make('subscription', { _group: { _id: group._id } });
    await publish(fileEvent('to-a-file.ifc'));
    const subjects = async () => Promise.all(readdirSync(folder).filter((name) => name.endsWith('.eml')).map(async (name) => (await PostalMime.parse(readFileSync(join(folder, name)))).subject));
    await eventually(async () => expect(await subjects()).toContain('New: to-a-file.ifc'));
    rmSync(folder, { recursive: true });
  });
});
