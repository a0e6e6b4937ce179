import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Outbox, resourceDeleted } from '@twinyard/events';
import { AnswerStore, createService, UnitOfWork } from '@twinyard/service-kit';
import { dyingBehind, eventually, expectReplay, type FakePassport, type StartedService, startService } from '@twinyard/testing';
import { Client } from 'pg';
import request from 'supertest';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';
const TEAMS = '/aisvc/api/v1/teams';
const body = {
  _name: 'Energy', _namespaces: [NS], _agents: [{ _userType: 'planner' }, { _userType: 'critic' }],
  _flow: [{ from: '__start__', to: 'planner' }, { from: 'planner', to: 'critic' }, { from: 'critic', to: '__end__' }],
};

describe('teams over HTTP', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;
  let owner: string;
  let viewer: string;
  let stranger: string;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, settings));
    ({ app, passport } = started);
    [owner, viewer, stranger] = await Promise.all([passport.token('owner'), passport.token('viewer'), passport.token('stranger')]);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('owner', OTHER, ['READ']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
  });

  afterAll(() => started?.stop());

  const call = (token: string, method: 'get' | 'post' | 'delete', path: string, ns = NS) =>
    request(app.getHttpServer())[method](path).query({ nsfilter: ns }).set('authorization', `Bearer ${token}`);
  const create = (changes: object = {}) => call(owner, 'post', TEAMS).send({ ...body, ...changes });
  const created = async (changes: object = {}) => ((await create(changes).expect(200)).body as { _id: string })._id;

  const query = async <Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    const client = new Client({ connectionString: started.database.url });
    await client.connect();
    const { rows } = await client.query<Row>(sql, parameters).finally(() => client.end());
    return rows;
  };
  const outboxOf = async (id: string) => Number((await query<{ last: string }>('SELECT last FROM event_sequences WHERE key = $1', [id]))[0]?.last ?? 0);

  it('makes, changes or deletes a team once under an Idempotency-Key, though the process dies before it answers', async () => {
    const id = await created();
    const requests = { make: () => create(), change: () => create({ _id: id, _name: 'ü' }), delete: () => call(owner, 'delete', `${TEAMS}/${id}`) };
    for (const [name, request] of Object.entries(requests)) {
      const send = () => request().set('idempotency-key', name);
      const first = await dyingBehind(app.get(AnswerStore, { strict: false }), async () => send());
      expectReplay(await send(), first);
    }
  });

  it('creates a team and answers it under _id and id', async () => {
    const { body: team } = await create({ _surplus: 1 }).expect(200);
    expect(team).toMatchObject({ ...body, id: team._id, _metadata: { _createdById: 'owner' } });
    expect(team).not.toHaveProperty('_surplus');
    expect((await call(viewer, 'get', `${TEAMS}/${team._id}`).expect(200)).body).toEqual(team);
  });

  it('updates the team that _id names, also from a whole record sent back', async () => {
    const { body: team } = await create().expect(200);
    const { body: updated } = await call(owner, 'post', TEAMS).send({ ...team, _name: 'Renamed' }).expect(200);
    expect(updated).toMatchObject({ _id: team._id, _name: 'Renamed' });
    expect(await outboxOf(team._id)).toBe(2);
  });

  it('refuses a flow that does not hold together and stores nothing', async () => {
    const before = (await call(owner, 'get', TEAMS)).body._total;
    const { body: error } = await create({ _flow: [{ from: '__start__', to: 'nobody' }] }).expect(400);
    expect(error).toMatchObject({ code: 'invalid', details: [{ field: '_flow[0].to' }] });
    expect(error.requestId).toBeTruthy();
    expect((await call(owner, 'get', TEAMS)).body._total).toBe(before);
  });

  it('names every bad field at once', async () => {
    const { body: error } = await call(owner, 'post', TEAMS).send({ _agents: [{ _userType: 7 }], _flow: 'no' }).expect(400);
    const fields = (error.details as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(['_name', '_namespaces', '_agents[0]._userType', '_flow']));
  });

  it('refuses a namespace outside nsfilter, and a missing nsfilter', async () => {
    await create({ _namespaces: [OTHER] }).expect(400);
    await request(app.getHttpServer()).get(TEAMS).set('authorization', `Bearer ${owner}`).expect(400);
  });

  it('lists what the caller may read, paged both ways', async () => {
    await created();
    const whole = (await call(viewer, 'get', TEAMS).expect(200)).body;
    const second = (await call(viewer, 'get', TEAMS).query({ offset: 1, pagesize: 1 }).expect(200)).body;
    expect(second).toMatchObject({ _offset: 1, _pageSize: 1, _total: whole._total });
    expect(second._list[0]._id).toBe(whole._list[1]._id);
    expect((await call(viewer, 'get', TEAMS).query({ page: '{"_pageSize":0}' }).expect(200)).body).toMatchObject({ _total: whole._total, _list: [] });
  });

  it('is closed to nobody, to expired tokens and to other tenants', async () => {
    const id = await created();
    const nobody = await request(app.getHttpServer()).get(TEAMS).query({ nsfilter: NS }).expect(401);
    expect(nobody.body.message).toBe('Full authentication is required to access this resource');
    expect(nobody.headers['www-authenticate']).toBe('Bearer');
    await call(await passport.token('owner', { expiresIn: -10 }), 'get', TEAMS).expect(401);
    await call(stranger, 'get', `${TEAMS}/${id}`).expect(404);
    await call(stranger, 'get', `${TEAMS}/${id}`, OTHER).expect(404);
    expect((await call(stranger, 'get', TEAMS).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    await call(stranger, 'delete', `${TEAMS}/${id}`).expect(404);
    await call(stranger, 'post', TEAMS).send(body).expect(403);
  });

  it('lets a viewer read and not write', async () => {
    const id = await created();
    await call(viewer, 'post', TEAMS).send(body).expect(403);
    await call(viewer, 'post', TEAMS).send({ ...body, _id: id }).expect(403);
    await call(viewer, 'delete', `${TEAMS}/${id}`).expect(403);
  });

  it('caps a token by its scopes', async () => {
    const readOnly = await passport.token('owner', { scopes: ['read'] });
    await call(readOnly, 'get', TEAMS).expect(200);
    await call(readOnly, 'post', TEAMS).send(body).expect(403);
  });

  it('deletes once; a malformed or unknown id is not found', async () => {
    const id = await created();
    await call(owner, 'delete', `${TEAMS}/${id}`).expect(204);
    await call(owner, 'delete', `${TEAMS}/${id}`).expect(404);
    await call(owner, 'get', `${TEAMS}/nonsense`).expect(404);
    await call(owner, 'post', TEAMS).send({ ...body, _id: id }).expect(404);
  });

  it('refuses text that no store can hold', async () => {
    await create({ _name: 'a\u0000b' }).expect(400);
    await create({ _name: '\ud800' }).expect(400);
    await call(owner, 'get', `${TEAMS}?x=%00`).expect(400);
    await call(owner, 'post', TEAMS).set('content-type', 'application/json').send('{"_name":').expect(400);
  });

  it('tolerates a trailing slash, a bare token and a JSON content type on GET', async () => {
    await request(app.getHttpServer()).get(`${TEAMS}/`).query({ nsfilter: NS }).set({ authorization: owner, 'content-type': 'application/json' }).expect(200);
  });

  it('keeps nothing of a purged namespace; what is shared stays to the others, and theirs as it is', async () => {
    const gone = 'gone_a1B2c3D4';
    const keeper = await passport.token('keeper');
    for (const namespace of [gone, OTHER]) await passport.grant('keeper', namespace, ['*']);
    const make = async (namespaces: readonly string[]) =>
      ((await request(app.getHttpServer()).post(TEAMS).query({ nsfilter: namespaces }).set('authorization', `Bearer ${keeper}`).send({ ...body, _namespaces: namespaces }).expect(200)).body as { _id: string })._id;
    const [own, shared, theirs] = [await make([gone]), await make([gone, OTHER]), await make([OTHER])];
    const before = (await call(keeper, 'get', `${TEAMS}/${theirs}`, OTHER).expect(200)).body as object;
    const event = resourceDeleted('passportsvc.Workspace', { _id: 'one', _irn: 'passportsvc:workspace:one', _namespaces: [gone], _purge: true }, { userId: 'owner', requestId: 'r' });
    await app.get(UnitOfWork, { strict: false }).run((tx) => app.get(Outbox, { strict: false }).append(tx, event));
    await eventually(async () => expect(await query('SELECT 1 FROM namespace_purge WHERE namespace = $1 AND finished_at IS NOT NULL', [gone])).toHaveLength(1));
    expect(await query('SELECT id FROM team t WHERE strpos(t::text, $1) > 0 OR id = $2', [gone, own])).toEqual([]);
    expect((await call(keeper, 'get', `${TEAMS}/${shared}`, OTHER).expect(200)).body._namespaces).toEqual([OTHER]);
    expect((await call(keeper, 'get', `${TEAMS}/${theirs}`, OTHER).expect(200)).body).toEqual(before);
  });

  it('has its reference, health and metrics', async () => {
    await request(app.getHttpServer()).get('/health/ready').expect(200);
    await request(app.getHttpServer()).get('/aisvc/api/docs').expect(200);
    expect((await request(app.getHttpServer()).get('/aisvc/api/v1/openapi.json').expect(200)).body.paths[TEAMS]).toBeDefined();
    expect((await request(app.getHttpServer()).get('/metrics').expect(200)).text).toContain('http_request_duration_seconds');
  });
});
