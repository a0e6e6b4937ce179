import { newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { ping } from '../src/components/ping.component';
import { jobOfSchedule, NS, ORCHESTRATORS, OTHER, RunningService, SCHEDULES } from './running-service';

const MISSING = '00000000-0000-4000-8000-00000000dead';
const PROFILE = newUuid();
const HOUR_MS = 3_600_000;

interface ScheduleBody {
  readonly _id: string;
  readonly _orchid: string;
  readonly next_scheduled_time: string | null;
}

describe('schedules over HTTP', () => {
  let service: RunningService;
  let owner: string;
  let viewer: string;
  let stranger: string;

  beforeAll(async () => {
    service = await RunningService.start([ping]);
    const { passport } = service;
    [owner, viewer, stranger] = await Promise.all([passport.token('owner'), passport.token('viewer'), passport.token('stranger')]);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
  });

  afterAll(() => service?.stop());

  const orchestrator = () => service.orchestrator(owner, [{ _orchcomp: 'ping' }]);
  const create = (token: string, body: object) => service.call(token, 'post', SCHEDULES).send(body);
  const created = async (changes: object = {}) =>
    (await create(owner, { _orchid: await orchestrator(), runinterval: '1 * *', ...changes }).expect(200)).body as ScheduleBody;
  const put = (token: string, id: string, body: object) => service.call(token, 'put', `${SCHEDULES}/${id}`).send(body);
  const fieldsOf = ({ body }: { readonly body: { readonly details: readonly { readonly field: string }[] } }) => [...new Set(body.details.map(({ field }) => field))];

  it('are made with what is not said as the contract has it, and read back the same, alone and in a plain array', async () => {
    const before = Date.now();
    const made = await created({ _surplus: 1 });
    expect(made).toEqual({
      _id: made._id, _orchid: made._orchid, runinterval: '1 * *', _cron: null, _timezone: null, _enabled: true, _overlap: 'SKIP', _catchup: 'ONE',
      next_scheduled_time: expect.stringMatching(/^\d{4}-.*Z$/), next_scheduled_run_created: false, _actualParams: [],
    });
    const next = Date.parse(made.next_scheduled_time ?? '');
    expect([next > before + HOUR_MS - 1_000, next < Date.now() + HOUR_MS + 1_000]).toEqual([true, true]);
    expect((await service.call(viewer, 'get', `${SCHEDULES}/${made._id}`).expect(200)).body).toEqual(made);
    expect((await service.call(viewer, 'get', SCHEDULES).expect(200)).body).toContainEqual(made);
  });

  it('go by patterns of cron in a zone, in that of UTC where none is said', async () => {
    const params = [{ sequence_type_id: ping.id, params: { a: 1 } }];
    const made = await created({ runinterval: null, _cron: '0 12 29 2 *', _timezone: 'Asia/Kolkata', _enabled: true, _overlap: 'QUEUE', _catchup: 'ALL', _actualParams: params });
    expect(made).toMatchObject({ runinterval: null, _cron: '0 12 29 2 *', _timezone: 'Asia/Kolkata', _overlap: 'QUEUE', _catchup: 'ALL', _actualParams: params });
    expect(made.next_scheduled_time).toMatch(/-02-29T06:30:00\.000Z$/);
    expect(await created({ runinterval: undefined, _cron: '30 0 0 1 1 *' })).toMatchObject({ _timezone: 'UTC', next_scheduled_time: expect.stringMatching(/-01-01T00:00:30\.000Z$/) });
  });

  it('make an orchestrator SCHEDULED while it has one, of which there is no second', async () => {
    const { _id, _orchid } = await created();
    const classOf = async () => (await service.call(viewer, 'get', `${ORCHESTRATORS}/${_orchid}`).expect(200)).body as object;
    expect(await classOf()).toMatchObject({ _class: 'SCHEDULED', _orchschedule: { _id, _orchid, runinterval: '1 * *', _enabled: true } });
    await create(owner, { _orchid, runinterval: '2 * *' }).expect(409);
    const answers = await Promise.all(Array.from({ length: 4 }, async (_, nth) => {
      const second = nth === 0 ? await orchestrator() : _orchid;
      return (await create(owner, { _orchid: second, runinterval: '2 * *' })).status;
    }));
    expect(answers.sort()).toEqual([200, 409, 409, 409]);
    const listed = (await service.call(viewer, 'get', ORCHESTRATORS).query({ _pageSize: 1_000 }).expect(200)).body._list as { id: string; _class: string }[];
    expect(listed.find(({ id }) => id === _orchid)).toMatchObject({ _class: 'SCHEDULED', _orchschedule: { _id } });
    await service.call(owner, 'delete', `${SCHEDULES}/${_id}`).expect(204);
    await service.call(owner, 'delete', `${SCHEDULES}/${_id}`).expect(404);
    expect(await classOf()).toMatchObject({ _class: 'NORMAL' });
    expect(await classOf()).not.toHaveProperty('_orchschedule');
    // It was made, got a schedule and lost it.
    expect(await service.countEvents(_orchid)).toBe(3);
    await create(owner, { _orchid, runinterval: '2 * *' }).expect(200);
  });

  it('leave the orchestrator as it is, and its tag with it, when their time comes', async () => {
    const { _id, _orchid } = await created();
    const tagOf = async () => (await service.call(viewer, 'get', `${ORCHESTRATORS}/${_orchid}`).expect(200)).headers['etag'] as string;
    const before = await tagOf();
    await service.query(`UPDATE orchestrator_schedule SET next_due_at = next_due_at + interval '1 h' WHERE id = $1`, [_id]);
    expect(await tagOf()).toBe(before);
  });

  it('take whole records back, change what is sent and keep what is not; the next time stands while its terms do', async () => {
    const made = await created();
    const { body: same } = await put(owner, made._id, { ...made, _overlap: 'ALLOW' }).expect(200);
    expect(same).toEqual({ ...made, _overlap: 'ALLOW' });
    const { body: cron } = await put(owner, made._id, { _cron: '0 0 1 1 *' }).expect(200);
    expect(cron).toMatchObject({ runinterval: null, _cron: '0 0 1 1 *', _timezone: 'UTC', _overlap: 'ALLOW', next_scheduled_time: expect.stringMatching(/-01-01T00:00:00\.000Z$/) });
    const { body: moved } = await put(owner, made._id, { _timezone: 'Asia/Kolkata' }).expect(200);
    expect(moved).toMatchObject({ _cron: '0 0 1 1 *', next_scheduled_time: expect.stringMatching(/-12-31T18:30:00\.000Z$/) });
    const { body: off } = await put(owner, made._id, { _enabled: false }).expect(200);
    expect(off).toMatchObject({ _enabled: false, _cron: '0 0 1 1 *', next_scheduled_time: null });
    expect((await put(owner, made._id, { _enabled: true }).expect(200)).body).toEqual(moved);
    expect((await put(owner, made._id, { runinterval: '* * 30' }).expect(200)).body).toMatchObject({ runinterval: '* * 30', _cron: null, _timezone: null });
    await put(owner, made._id, { _orchid: MISSING }).expect(400);
  });

  it('come back by a PUT from a time that a wrong clock has had them promise', async () => {
    const made = await created();
    await service.query(`UPDATE orchestrator_schedule SET next_due_at = next_due_at + interval '10 days' WHERE id = $1`, [made._id]);
    const { body } = await put(owner, made._id, made).expect(200);
    expect(Date.parse((body as ScheduleBody).next_scheduled_time ?? '') - Date.parse(made.next_scheduled_time ?? '')).toBeLessThan(HOUR_MS);
  });

  it('name every bad field', async () => {
    const _orchid = await orchestrator();
    expect(fieldsOf(await create(owner, { runinterval: 30, _cron: 1, _timezone: 2, _enabled: 'yes', _overlap: 'MAYBE', _catchup: 'SOME', _actualParams: [{ params: 'x' }] }).expect(400)).sort()).toEqual([
      '_actualParams[0].params', '_actualParams[0].sequence_type_id', '_catchup', '_cron', '_enabled', '_orchid', '_overlap', '_timezone', 'runinterval',
    ]);
    const bad: readonly [object, readonly string[]][] = [
      [{}, ['runinterval']],
      [{ runinterval: '* * 30', _cron: '0 6 * * *' }, ['runinterval', '_cron']],
      [{ runinterval: '* * *' }, ['runinterval']],
      [{ runinterval: 'soon' }, ['runinterval']],
      [{ _cron: '0 25 * * *', _timezone: 'Europe/Nowhere', _actualParams: [{ sequence_type_id: MISSING, params: {} }] }, ['_cron', '_timezone', '_actualParams[0].sequence_type_id']],
      [{ _cron: '0 0 30 2 *' }, ['_cron']],
      [{ _cron: '0 6 * * *', _timezone: '+01:00' }, ['_timezone']],
      [{ runinterval: '* * 30', _timezone: 'Europe/Berlin' }, ['_timezone']],
      [{ runinterval: '* * 30', _actualParams: [{ sequence_type_id: ping.id, params: { text: 'x'.repeat(66_000) } }] }, ['_actualParams']],
    ];
    for (const [body, fields] of bad) expect([body, fieldsOf(await create(owner, { _orchid, ...body }).expect(400))]).toEqual([body, fields]);
    for (const unknown of [MISSING, 'nonsense']) expect(fieldsOf(await create(owner, { _orchid: unknown, runinterval: '* * 30' }).expect(400))).toEqual(['_orchid']);
    expect((await service.call(owner, 'get', `${ORCHESTRATORS}/${_orchid}`).expect(200)).body).toMatchObject({ _class: 'NORMAL' });
    const { _id } = await created();
    expect(fieldsOf(await put(owner, _id, { _cron: '* *', _overlap: 'MAYBE' }).expect(400))).toEqual(['_overlap']);
    expect(fieldsOf(await put(owner, _id, { _cron: '* *' }).expect(400))).toEqual(['_cron']);
  });

  it('are closed to nobody and to other tenants; who may read changes nothing, and it takes EDIT and RUN', async () => {
    const { _id, _orchid } = await created();
    const path = `${SCHEDULES}/${_id}`;
    await service.call('x.y.z', 'get', SCHEDULES).expect(401);
    expect((await service.call(stranger, 'get', SCHEDULES).expect(200)).body).toEqual([]);
    expect((await service.call(stranger, 'get', SCHEDULES, OTHER).expect(200)).body).toEqual([]);
    for (const method of ['get', 'put', 'delete'] as const) {
      for (const [token, ns] of [[stranger, NS], [stranger, OTHER], [owner, OTHER]] as const) await service.call(token, method, path, ns).send(method === 'put' ? { _enabled: false } : undefined).expect(404);
    }
    await service.call(stranger, 'post', SCHEDULES, OTHER).send({ _orchid, runinterval: '1 * *' }).expect(400);
    const { passport } = service;
    const halves = [['edits', ['READ', 'EDIT']], ['runs', ['READ', 'RUN']]] as const;
    for (const [name, actions] of halves) await passport.grant(name, NS, actions, 'datasourcesvc:orchestrator:*');
    for (const name of ['viewer', 'edits', 'runs']) {
      const token = await passport.token(name);
      await create(token, { _orchid, runinterval: '1 * *' }).expect(403);
      await put(token, _id, { _enabled: false }).expect(403);
      await service.call(token, 'delete', path).expect(403);
    }
    await passport.grant('both', NS, ['READ', 'EDIT', 'RUN'], `datasourcesvc:orchestrator:${_orchid}`);
    const both = await passport.token('both');
    expect((await service.call(both, 'get', SCHEDULES).expect(200)).body).toMatchObject([{ _id }]);
    await put(both, _id, { _enabled: false }).expect(200);
    await service.call(both, 'delete', path).expect(204);
  });

  it('have at most the scopes of the token that writes them, and are not made by runs', async () => {
    const _orchid = await orchestrator();
    const status = async (options: Parameters<typeof service.passport.token>[1]) => (await create(await service.passport.token('owner', options), { _orchid, runinterval: '1 * *' })).status;
    expect(await status({ scopes: ['read'] })).toBe(403);
    // Without READ it cannot say which orchestrator it means.
    expect(await status({ scopes: ['write'] })).toBe(400);
    expect(await status({ run: { id: newUuid(), namespaces: [NS] } })).toBe(403);
    expect(await status({ scopes: ['read', 'write', 'scim'] })).toBe(200);
    expect(await service.query('SELECT writer FROM orchestrator_schedule WHERE orchestrator_id = $1', [_orchid])).toEqual([{ writer: { type: 'user', id: 'owner', appId: 'app', scopes: ['read', 'write'] } }]);
  });

  it('leave no job behind when they are deleted, alone or with their orchestrator, or switched off', async () => {
    const [alone, along, off] = [await created(), await created(), await created()];
    const jobOf = ({ _id }: ScheduleBody) => service.query(`SELECT state FROM job WHERE ${jobOfSchedule(_id)}`);
    for (const one of [alone, along, off]) expect(await jobOf(one)).toEqual([{ state: 'WAITING' }]);
    await service.call(owner, 'delete', `${SCHEDULES}/${alone._id}`).expect(204);
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${along._orchid}`).expect(204);
    await put(owner, off._id, { _enabled: false }).expect(200);
    for (const one of [alone, along, off]) await eventually(async () => expect(await jobOf(one)).toEqual([]));
    await put(owner, off._id, { _enabled: true }).expect(200);
    expect(await jobOf(off)).toEqual([{ state: 'WAITING' }]);
  });

  describe('whose orchestrator is changed by somebody else', () => {
    let editor: string;
    let operator: string;
    beforeAll(async () => {
      const { passport } = service;
      passport.addProfile(PROFILE, [NS]);
      await passport.grant('editor', NS, ['READ', 'EDIT'], 'datasourcesvc:orchestrator:*');
      await passport.grant('operator', NS, ['READ', 'EDIT', 'RUN'], 'datasourcesvc:orchestrator:*');
      [editor, operator] = await Promise.all([passport.token('editor'), passport.token('operator')]);
    });

    const PING = { _orchcomp: 'ping' };
    const change = (token: string, { _orchid }: ScheduleBody, changes: object) =>
      service.call(token, 'put', `${ORCHESTRATORS}/${_orchid}`).send({ _name: 'Import', _namespaces: [NS], ...changes });
    const writerOf = async ({ _id }: ScheduleBody) => (await service.query<{ id: string }>(`SELECT writer->>'id' AS id FROM orchestrator_schedule WHERE id = $1`, [_id]))[0]?.id;

    it('do nothing else in the name of who wrote them: it takes RUN, and they act for whoever changed them', async () => {
      const made = await created({ _actualParams: [{ sequence_type_id: ping.id, params: { a: 1 } }] });
      const others = [{ ...PING, _actualparams: { b: 2 } }, { ...PING, _retry: { _max: 1 } }, { ...PING, _timeout: '* * 1' }].map((task) => [task]);
      for (const tasks of [...others, [PING, PING]]) await change(editor, made, { _params: { tasks } }).expect(403);
      await change(await service.passport.token('operator', { run: { id: newUuid(), namespaces: [NS] } }), made, { _params: { tasks: [PING, PING] } }).expect(403);
      expect((await service.call(owner, 'get', `${ORCHESTRATORS}/${made._orchid}`).expect(200)).body.orchsteps).toHaveLength(1);
      expect(await writerOf(made)).toBe('owner');
      await change(operator, made, { _params: { tasks: [PING, PING] } }).expect(200);
      expect(await writerOf(made)).toBe('operator');
      await service.bringDue(made._id);
      await eventually(async () => expect(await service.query('SELECT created_by_id AS by FROM orchestrator_run WHERE schedule_id = $1', [made._id])).toEqual([{ by: 'operator' }]));
    });

    it('go on as they are where their runs do the same, or none comes', async () => {
      const made = await created({ _actualParams: [{ sequence_type_id: ping.id, params: { a: 1 } }] });
      await change(editor, made, { _name: 'Renamed', _paused: true, _params: { tasks: [{ ...PING, _name: 'One' }] } }).expect(200);
      // The schedule says another value of it.
      await change(editor, made, { _params: { tasks: [{ ...PING, _actualparams: { a: 2 } }] } }).expect(200);
      await put(owner, made._id, { _enabled: false }).expect(200);
      await change(editor, made, { _params: { tasks: [PING, PING] } }).expect(200);
      expect(await writerOf(made)).toBe('owner');
    });

    it('get no rights of their writer in the place of those of a profile', async () => {
      const made = await created();
      await change(owner, made, { _permissionprofileid: PROFILE }).expect(200);
      await change(editor, made, { _permissionprofileid: null }).expect(403);
      expect(await writerOf(made)).toBe('owner');
      await change(operator, made, { _permissionprofileid: null }).expect(200);
      expect(await writerOf(made)).toBe('operator');
    });
  });

  it('go with their orchestrator', async () => {
    const { _id, _orchid } = await created();
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${_orchid}`).expect(204);
    await service.call(owner, 'get', `${SCHEDULES}/${_id}`).expect(404);
    await create(owner, { _orchid, runinterval: '1 * *' }).expect(400);
  });
});
