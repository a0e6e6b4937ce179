import { Body, Controller, Delete, Get, HttpCode, Module, Param, Post, Put } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { notFound, unavailable } from '@twinyard/conventions';
import { JOBS_MIGRATIONS, jobSettings, JobsModule } from '@twinyard/jobs';
import { baseSettings, createService, defineService, KeptAnswersTable1700000000030, SqlModule } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import request from 'supertest';
import { Allow, AuthModule, Ctx, FairShareModule, RepeatsModule, RequestContext } from '../src';

const NS = 'ns_12345678';
const FEW_PLACES = { REQUEST_PLACES: 2, TENANT_SHARE: 0.6, REQUEST_WAIT_SECONDS: 30, REQUESTS_WAITING: 100 };

/** A store of notes that counts what was done to it, and stops in the middle when it is told to. */
class Notes {
  static readonly notes = new Map<string, string>();
  static begun = 0;
  static made = 0;
  static isAway = false;
  static hold: Promise<void> = Promise.resolve();
}

@Controller('aisvc/api/v1/notes')
class NotesController {
  @Post()
  @Allow('CREATE', 'aisvc:team')
  async make(@Ctx() ctx: RequestContext, @Body() body: { text: string }): Promise<object> {
    ctx.access.require('CREATE', { type: 'aisvc:team', id: '*', namespaces: [NS] });
    Notes.begun += 1;
    await Notes.hold;
    if (Notes.isAway) throw unavailable('The store is away');
    Notes.made += 1;
    return { _id: String(Notes.made), text: body.text, _secret: `shown once ${Notes.made}` };
  }

  @Get(':id')
  @Allow('READ', 'aisvc:team')
  get(@Ctx() ctx: RequestContext, @Param('id') id: string): object {
    if (Notes.isAway) throw unavailable('The store is away');
    if (ctx.access.scope('READ', 'aisvc:team').areas.length === 0 || !Notes.notes.has(id)) throw notFound('note', id);
    return { _id: id, text: Notes.notes.get(id) };
  }

  @Put(':id')
  @Allow('EDIT', 'aisvc:team')
  async put(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: { text: string }): Promise<object> {
    ctx.access.require('EDIT', { type: 'aisvc:team', id, namespaces: [NS] });
    await Notes.hold;
    Notes.notes.set(id, body.text);
    return { _id: id, text: body.text };
  }

  @Delete(':id')
  @HttpCode(204)
  @Allow('DELETE', 'aisvc:team')
  remove(@Ctx() ctx: RequestContext, @Param('id') id: string): void {
    ctx.access.require('DELETE', { type: 'aisvc:team', id, namespaces: [NS] });
    if (!Notes.notes.delete(id)) throw notFound('note', id);
  }
}

describe('requests that come again', () => {
  let passport: FakePassport;
  let database: TestDatabase;
  const replicas: NestFastifyApplication[] = [];
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    passport = await FakePassport.start();
    database = await createTestDatabase();
    for (let n = 0; n < 2; n += 1) replicas.push(await boot());
    for (const name of ['alice', 'bob']) {
      await passport.grant(name, NS, ['*']);
      tokens.set(name, await passport.token(name));
    }
  });
  afterAll(async () => {
    for (const app of replicas) await app.close();
    await database.drop();
    await passport.stop();
  });
  beforeEach(() => {
    Notes.notes.clear();
    [Notes.begun, Notes.made, Notes.isAway, Notes.hold] = [0, 0, false, Promise.resolve()];
  });

  async function boot(): Promise<NestFastifyApplication> {
    @Module({})
    class TestModule {}
    const definition = defineService({
      name: 'aisvc', settings: baseSettings.extend(jobSettings), openApi: { title: 'Test', description: '' },
      module: (settings) => ({
        module: TestModule, controllers: [NotesController],
        imports: [SqlModule.forRoot({ url: database.url, entities: [], migrations: [KeptAnswersTable1700000000030, ...JOBS_MIGRATIONS] }), JobsModule.forRoot(settings), AuthModule.forService('aisvc', settings), FairShareModule.forRequests(FEW_PLACES), RepeatsModule],
      }),
    });
    const app = await createService(definition, { ...testSettings(passport, database, database), MIGRATE_ON_START: true } as never);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  interface Asked {
    readonly as?: string;
    readonly headers?: Record<string, string>;
    readonly replica?: number;
    readonly body?: object;
  }
  const ask = (method: 'get' | 'post' | 'put' | 'delete', path: string, { as = 'alice', headers = {}, replica = 0, body }: Asked = {}) => {
    const sent = request((replicas[replica] as NestFastifyApplication).getHttpServer())[method](`/aisvc/api/v1/notes${path}?nsfilter=${NS}`).set({ authorization: `Bearer ${tokens.get(as)}`, ...headers });
    return body === undefined ? sent : sent.send(body);
  };
  const key = (text: string) => ({ 'idempotency-key': text });

  describe('with an Idempotency-Key', () => {
    it('get the first answer again, on another replica too, and are done once', async () => {
      const first = await ask('post', '', { headers: key('k1'), body: { text: 'a' } });
      const again = await ask('post', '', { headers: key('k1'), body: { text: 'a' }, replica: 1 });
      expect([first.status, first.body]).toEqual([201, { _id: '1', text: 'a', _secret: 'shown once 1' }]);
      expect([again.status, again.body, again.headers['content-type']]).toEqual([201, first.body, first.headers['content-type']]);
      expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed'], Notes.made]).toEqual([undefined, 'true', 1]);
    });

    it('are told apart by caller, route and key; with another body they are refused', async () => {
      await ask('post', '', { headers: key('k2'), body: { text: 'a' } });
      expect((await ask('post', '', { headers: key('k2'), body: { text: 'b' } })).status).toBe(422);
      expect((await ask('post', '', { as: 'bob', headers: key('k2'), body: { text: 'b' } })).status).toBe(201);
      expect((await ask('post', '', { headers: key('k3'), body: { text: 'b' } })).status).toBe(201);
      expect((await ask('put', '/1', { headers: key('k2'), body: { text: 'b' } })).status).toBe(200);
      expect(Notes.made).toBe(3);
      for (const bad of ['', 'x'.repeat(256), 'ä']) expect((await ask('post', '', { headers: key(bad), body: {} })).status).toBe(400);
      expect((await ask('post', '', { as: 'nobody', headers: key('k2'), body: { text: 'a' } })).status).toBe(401);
    });

    it('are told to wait while the first is being worked on', async () => {
      let go: () => void = () => undefined;
      Notes.hold = new Promise((resolve) => { go = resolve; });
      const first = ask('post', '', { headers: key('k4'), body: { text: 'a' } }).then((answer) => answer);
      await eventually(() => expect(Notes.begun).toBe(1));
      expect((await ask('post', '', { headers: key('k4'), body: { text: 'other' }, replica: 1 })).status).toBe(422);
      const meanwhile = await ask('post', '', { headers: key('k4'), body: { text: 'a' }, replica: 1 });
      expect([meanwhile.status, meanwhile.headers['retry-after']]).toEqual([409, '1']);
      go();
      expect((await first).status).toBe(201);
      expect((await ask('post', '', { headers: key('k4'), body: { text: 'a' } })).body._id).toBe('1');
    });

    it('are done anew where nothing came of the first, and get refusals and empty answers again', async () => {
      Notes.isAway = true;
      expect((await ask('post', '', { headers: key('k5'), body: { text: 'a' } })).status).toBe(503);
      Notes.isAway = false;
      expect((await ask('post', '', { headers: key('k5'), body: { text: 'a' } })).status).toBe(201);
      const missing = await ask('delete', '/7', { headers: key('k6') });
      Notes.notes.set('7', 'here now');
      const again = await ask('delete', '/7', { headers: key('k6') });
      expect([missing.status, again.status, again.body]).toEqual([404, 404, missing.body]);
      const gone = [await ask('delete', '/7', { headers: key('k7') }), await ask('delete', '/7', { headers: key('k7') })];
      expect(gone.map(({ status, text }) => [status, text])).toEqual([[204, ''], [204, '']]);
    });

    it('get the first answer again where the connection was lost over which it was to be kept', async () => {
      const { Client } = await import('pg');
      const real = Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
      let losses = 0;
      const query = jest.spyOn(Client.prototype, 'query').mockImplementation(function (this: InstanceType<typeof Client>, ...args: unknown[]) {
        const isKept = String((args[0] as { readonly text?: string }).text).startsWith('UPDATE kept_answers SET sealed');
        if (!isKept || losses > 0) return real.apply(this, args);
        losses += 1;
        return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
      } as never);
      try {
        const first = await ask('post', '', { headers: key('k8'), body: { text: 'a' } });
        const again = await ask('post', '', { headers: key('k8'), body: { text: 'a' }, replica: 1 });
        expect([first.status, again.status, again.body, losses, Notes.made]).toEqual([201, 201, first.body, 1, 1]);
      } finally {
        query.mockRestore();
      }
    });

    it('leave nothing readable behind', async () => {
      await ask('post', '', { headers: key('a-secret-key'), body: { text: 'a-secret-text' } });
      const { Client } = await import('pg');
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query<{ row: string }>(`SELECT kept_answers::text || encode(coalesce(sealed, ''), 'escape') AS row FROM kept_answers`);
      await client.end();
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter(({ row }) => /secret|shown once|alice/.test(row))).toEqual([]);
    });
  });

  describe('with the tag of what was read', () => {
    it('read a record only when it is another', async () => {
      Notes.notes.set('1', 'a');
      const { headers: { etag = '' } } = await ask('get', '/1');
      expect(etag).toMatch(/^"[\w-]{27}"$/);
      const same = await ask('get', '/1', { headers: { 'if-none-match': `"other", W/${etag}` } });
      expect([same.status, same.text, same.headers.etag]).toEqual([304, '', etag]);
      Notes.notes.set('1', 'b');
      expect((await ask('get', '/1', { headers: { 'if-none-match': etag } })).status).toBe(200);
    });

    it('change it only when it is as it was', async () => {
      Notes.notes.set('1', 'a');
      const { headers: { etag = '' } } = await ask('get', '/1');
      expect((await ask('put', '/1', { headers: { 'if-match': '"other"' }, body: { text: 'b' } })).status).toBe(412);
      expect((await ask('put', '/1', { headers: { 'if-match': etag }, body: { text: 'b' } })).status).toBe(200);
      const stale = await ask('delete', '/1', { headers: { 'if-match': etag } });
      expect([stale.status, stale.body.code, Notes.notes.get('1')]).toEqual([412, 'precondition_failed', 'b']);
      expect((await ask('delete', '/1', { headers: { 'if-match': '*' } })).status).toBe(204);
      expect((await ask('delete', '/1', { headers: { 'if-match': etag } })).status).toBe(404);
    });

    it('are not changed when it cannot be told what they are like', async () => {
      Notes.notes.set('1', 'a');
      Notes.isAway = true;
      for (const method of ['put', 'delete'] as const) expect((await ask(method, '/1', { headers: { 'if-match': '"other"' }, body: { text: 'b' } })).status).toBe(503);
      expect(Notes.notes.get('1')).toBe('a');
    });

    it('do not wait for themselves where one tenant asks for more than its places', async () => {
      const ids = Array.from({ length: 12 }, (_, n) => `n${n}`);
      for (const id of ids) Notes.notes.set(id, 'a');
      const answers = await Promise.all(ids.map((id) => ask('put', `/${id}`, { headers: { 'if-match': '"other"' }, body: { text: 'b' } })));
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 412));
    });

    it('are changed by one of two who read the same, on two replicas', async () => {
      for (let round = 0; round < 5; round += 1) {
        Notes.notes.set('1', `round ${round}`);
        const { headers: { etag = '' } } = await ask('get', '/1');
        const answers = await Promise.all([0, 1].map((replica) => ask('put', '/1', { replica, headers: { 'if-match': etag }, body: { text: `by ${replica} in ${round}` } })));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      }
    });
  });
});
