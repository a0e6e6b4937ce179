import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { invalid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { ORCHESTRATORS, OTHER, RUNS, RunningService } from './running-service';
import { waits } from './waiting';

const fails: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000001', name: 'fails',
  run: ({ params }) => Promise.reject(params['inside'] === true ? new Error('secret of the inside') : invalid('the roof is missing')),
};
const MISSING = '00000000-0000-4000-8000-00000000dead';

describe('runs over HTTP', () => {
  let service: RunningService;
  let owner: string;
  let viewer: string;
  let stranger: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, fails, waits], { RUN_CONCURRENCY: 1 });
    const { passport } = service;
    [owner, viewer, stranger] = await Promise.all([passport.token('owner'), passport.token('viewer'), passport.token('stranger')]);
    await passport.grant('owner', 'house_a1B2c3D4', ['*']);
    await passport.grant('viewer', 'house_a1B2c3D4', ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
  });

  afterAll(() => service?.stop());

  const task = (name: string, actualparams: object = {}, more: object = {}) => ({ _orchcomp: name, _actualparams: actualparams, ...more });
  const cancel = (token: string, id: string) => service.call(token, 'put', `${RUNS}/${id}`).send({ id });

  it('answers QUEUED with its steps, then goes through them, what one returns being inparams of the next', async () => {
    const id = await service.orchestrator(owner, [task('ping', { a: 1 }, { _sequenceno: 2, _name: 'second' }), task('ping', { b: 1 }, { _sequenceno: 1, _name: 'first' })]);
    const queued = await service.startRun(owner, id);
    expect(queued).toMatchObject({
      _orchid: id, _name: 'Import', _status: 'QUEUED', _createdby: 'owner', _createdat: expect.any(Number),
      orchrunsteps: [{ _name: 'first', _status: 'QUEUED', _compid: ping.id, _orchrunid: queued.id, _sequenceno: 1 }, { _name: 'second', _status: 'QUEUED' }],
    });
    const done = await service.ended(owner, queued.id);
    expect(done).toMatchObject({ _status: 'COMPLETED', _createdat: expect.stringMatching(/^\d{13}$/), orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'COMPLETED' }] });
    expect(JSON.parse(done._result as string)).toMatchObject({ pong: true, actualParams: { a: 1 }, inparams: { pong: true, actualParams: { b: 1 }, inparams: null } });
    expect((await service.call(viewer, 'get', `${RUNS}/${queued.id}/steps`).expect(200)).body).toEqual(done.orchrunsteps);
    // QUEUED, RUNNING, COMPLETED
    expect(await service.countEvents(queued.id)).toBe(3);
  });

  it('overrides the parameters of steps by what the start gives for their component', async () => {
    const id = await service.orchestrator(owner, [task('ping', { kept: 1, changed: 1 })]);
    const run = await service.startRun(owner, id, [{ sequence_type_id: ping.id, params: { changed: 2 } }]);
    expect(JSON.parse(run.orchrunsteps[0]?._actualparams ?? '')).toEqual({ kept: 1, changed: 2 });
    const answer = await service.call(owner, 'post', RUNS).send({ orchestratorId: id, _actualparams: [{ sequence_type_id: MISSING, params: {} }] }).expect(400);
    expect(answer.body.details[0].field).toBe('_actualParams[0].sequence_type_id');
  });

  it('runs an instant orchestrator inside of the request', async () => {
    const id = await service.orchestrator(owner, [task('ping', { x: 1 })], { _instant: true });
    expect(await service.startRun(owner, id)).toMatchObject({ _status: 'COMPLETED', _result: { pong: true, actualParams: { x: 1 } }, orchrunsteps: [{ _status: 'COMPLETED' }] });
  });

  it('ends with ERROR and says why in the step; later steps do not run, and faults of our own stay inside', async () => {
    const id = await service.orchestrator(owner, [task('fails'), task('ping')], { _instant: true });
    expect(await service.startRun(owner, id)).toMatchObject({
      _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _statusmsg: 'the roof is missing' }, { _status: 'CANCELLED', _statusmsg: '' }],
    });
    const inner = await service.orchestrator(owner, [task('fails', { inside: true })], { _instant: true });
    expect(JSON.stringify(await service.startRun(owner, inner))).not.toContain('secret');
  });

  it('writes a log of JSON lines, the first with the run and the last with the end', async () => {
    const id = await service.orchestrator(owner, [task('ping')], { _instant: true });
    const run = await service.startRun(owner, id);
    const records = await service.log(viewer, run.id);
    expect(records[0]).toMatchObject({ level: 'info', orchRunId: run.id, timestamp: expect.stringMatching(/Z$/) });
    expect(records.map(({ message }) => message)).toContain('pong');
    expect(records.at(-1)).toMatchObject({ end: true });
    expect(records.filter(({ end }) => end)).toHaveLength(1);
  });

  it('cancels a run that is under way, and one that waits behind it, at once', async () => {
    const id = await service.orchestrator(owner, [task('waits'), task('ping')]);
    const [first, second] = [await service.startRun(owner, id), await service.startRun(owner, id)];
    await cancel(viewer, second.id).expect(403);
    expect((await cancel(owner, second.id).expect(200)).body).toMatchObject([{ id: second.id, _status: 'REQUEST_CANCEL', orchrunsteps: [] }]);
    expect(await service.ended(owner, second.id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }, { _status: 'CANCELLED' }] });
    expect((await service.run(owner, first.id))._status).not.toBe('CANCELLED');
    await cancel(owner, first.id).expect(200);
    expect(await service.ended(owner, first.id)).toMatchObject({ _status: 'CANCELLED' });
    await cancel(owner, first.id).expect(400);
    await service.call(owner, 'put', `${RUNS}/${first.id}`).send({}).expect(400);
    await service.call(owner, 'put', `${RUNS}/${first.id}`).send({ id: second.id }).expect(400);
  });

  it('cancels the runs of an orchestrator that is deleted, those that wait and the one under way, and keeps those that have ended', async () => {
    const id = await service.orchestrator(owner, [task('waits'), task('ping')]);
    const other = await service.orchestrator(owner, [task('ping')]);
    const ended = await service.startRun(owner, other);
    await service.ended(owner, ended.id);
    const runs = [await service.startRun(owner, id), await service.startRun(owner, id), await service.startRun(owner, id)];
    await eventually(async () => expect((await service.run(owner, runs[0]?.id ?? ''))._status).toBe('RUNNING'));
    for (const one of [id, other]) await service.call(owner, 'delete', `${ORCHESTRATORS}/${one}`).expect(204);
    for (const run of runs) expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }, { _status: 'CANCELLED' }] });
    expect(await service.run(owner, ended.id)).toMatchObject({ _status: 'COMPLETED' });
    const { body } = await service.call(owner, 'post', RUNS).send({ orchestratorId: id }).expect(400);
    expect(body.details).toEqual([{ field: 'orchestratorId', issue: 'names no orchestrator' }]);
  });

  it('leaves no run of an orchestrator that is deleted while runs are started', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await service.orchestrator(owner, [task('waits')]);
      const starts = Array.from({ length: 4 }, () => service.call(owner, 'post', RUNS).send({ orchestratorId: id }));
      const [gone, ...started] = await Promise.all([service.call(owner, 'delete', `${ORCHESTRATORS}/${id}`), ...starts]);
      expect([gone?.status, started.every(({ status }) => status === 200 || status === 400)]).toEqual([204, true]);
      for (const { body, status } of started) if (status === 200) expect(await service.ended(owner, body.id as string)).toMatchObject({ _status: 'CANCELLED' });
    }
  });

  it('ends a run that is over its time', async () => {
    const id = await service.orchestrator(owner, [task('waits')], { _timeout: '* * 1', _instant: true });
    expect(await service.startRun(owner, id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg: 'The run took longer than its time limit' }] });
  });

  it('deletes an ended run with its log, and one that is under way', async () => {
    const id = await service.orchestrator(owner, [task('waits')]);
    const run = await service.startRun(owner, id);
    await service.call(viewer, 'delete', `${RUNS}/${run.id}`).expect(403);
    await service.call(owner, 'delete', `${RUNS}/${run.id}`).expect(204);
    await service.call(owner, 'get', `${RUNS}/${run.id}`).expect(404);
    await service.call(owner, 'get', `${RUNS}/logs/${run.id}`).expect(404);
    // The only slot is free again.
    const next = await service.startRun(owner, await service.orchestrator(owner, [task('ping')]));
    expect(await service.ended(owner, next.id)).toMatchObject({ _status: 'COMPLETED' });
    await service.call(owner, 'delete', `${RUNS}/${next.id}`).expect(204);
    await service.call(owner, 'delete', `${RUNS}/${next.id}`).expect(404);
  });

  it('refuses the 21st queued run of a namespace, also when they come together', async () => {
    const blocker = await service.startRun(owner, await service.orchestrator(owner, [task('waits')]));
    const id = await service.orchestrator(owner, [task('ping')]);
    await service.run(owner, blocker.id);
    const answers = await Promise.all(Array.from({ length: 24 }, () => service.call(owner, 'post', RUNS).send({ orchestratorId: id })));
    const made = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 400);
    expect(made.length + refused.length).toBe(24);
    // The blocker may have been taken before or after they came.
    expect([19, 20]).toContain(made.length);
    expect(refused[0]?.body).toMatchObject({ code: 'limit_exceeded' });
    await cancel(owner, blocker.id).expect(200);
    for (const { body } of made) expect(await service.ended(owner, body.id as string)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('lists the newest first, by state and by time of creation, 20 at a time', async () => {
    const id = await service.orchestrator(owner, [task('ping')], { _userType: 'nightly, long' });
    const earlier = await service.startRun(owner, id);
    await service.ended(owner, earlier.id);
    const last = await service.startRun(owner, id);
    const all = (await service.call(viewer, 'get', RUNS).expect(200)).body;
    expect(all).toMatchObject({ _pageSize: 20, _offset: 0 });
    expect(all._total).toBeGreaterThan(20);
    const failed = (await service.call(viewer, 'get', RUNS).query({ _status: 'ERROR', _pageSize: 100 }).expect(200)).body;
    expect(failed._total).toBe(failed._list.length);
    expect(new Set(failed._list.map((run: { _status: string }) => run._status))).toEqual(new Set(['ERROR']));
    expect(all._list.slice(0, 2).map((run: { id: string }) => run.id)).toEqual([last.id, earlier.id]);
    const [first, second] = all._list as { _createdat: string }[];
    const made = all._list.map((run: { _createdat: string }) => Number(run._createdat));
    expect(made).toEqual([...made].sort((one, other) => other - one));
    const since = (await service.call(viewer, 'get', RUNS).query({ startDate: second?._createdat }).expect(200)).body;
    expect(since._total).toBe(2);
    const before = (await service.call(viewer, 'get', RUNS).query({ endDate: new Date(Number(first?._createdat) - 1).toISOString() }).expect(200)).body;
    expect(before._total).toBe(all._total - 1);
    expect((await service.call(viewer, 'get', RUNS).query({ _pageSize: 0 })).body).toMatchObject({ _total: all._total, _list: [] });
    await service.call(viewer, 'get', RUNS).query({ startDate: 'yesterday' }).expect(400);
    await service.call(viewer, 'get', RUNS).query({ _status: 'DONE' }).expect(400);
  });

  it('lists by orchestrator and by its user type', async () => {
    const [one, other] = [await service.orchestrator(owner, [task('ping')], { _userType: 'weekly, short' }), await service.orchestrator(owner, [task('ping')], { _userType: 'hourly' })];
    const first = await service.startRun(owner, one);
    await service.ended(owner, first.id);
    const second = await service.startRun(owner, other);
    await service.ended(owner, second.id);
    const listed = async (query: object) => (await service.call(viewer, 'get', RUNS).query(query).expect(200)).body._list.map(({ id }: { id: string }) => id);
    expect(await listed({ orchestratorId: one })).toEqual([first.id]);
    expect(await listed({ orchestratorId: [one, other, 'nonsense'] })).toEqual([second.id, first.id]);
    expect(await listed({ orchestratorId: `${one},${other}`, _usertype: 'hourly' })).toEqual([second.id]);
    expect(await listed({ _usertype: ['weekly, short', 'hourly'] })).toEqual([second.id, first.id]);
    expect(await listed({ orchestratorId: one, _status: 'ERROR' })).toEqual([]);
    expect(await listed({ orchestratorId: 'nonsense' })).toEqual([]);
    expect(await listed({ _usertype: 'weekly' })).toEqual([]);
    expect((await service.call(stranger, 'get', RUNS).query({ orchestratorId: one }).expect(200)).body._total).toBe(0);
  });

  it('is closed to nobody and to other tenants, and does not let a viewer start', async () => {
    const id = await service.orchestrator(owner, [task('ping')]);
    const run = await service.startRun(owner, id);
    await service.call('x.y.z', 'get', `${RUNS}/${run.id}`).expect(401);
    await service.call(viewer, 'post', RUNS).send({ orchestratorId: id }).expect(403);
    for (const path of [`${RUNS}/${run.id}`, `${RUNS}/${run.id}/steps`, `${RUNS}/logs/${run.id}`]) {
      await service.call(stranger, 'get', path).expect(404);
      await service.call(owner, 'get', path, OTHER).expect(404);
    }
    await cancel(stranger, run.id).expect(404);
    await service.call(stranger, 'delete', `${RUNS}/${run.id}`).expect(404);
    expect((await service.call(stranger, 'get', RUNS).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    await service.call(stranger, 'post', RUNS, OTHER).send({ orchestratorId: id }).expect(400);
  });

  it('names every bad field of a start', async () => {
    const { body } = await service.call(owner, 'post', RUNS).send({ _actualParams: [{ params: 'x' }] }).expect(400);
    expect(body.details.map(({ field }: { field: string }) => field)).toEqual(
      expect.arrayContaining(['orchestratorId', '_actualParams[0].sequence_type_id', '_actualParams[0].params']));
    await service.call(owner, 'post', RUNS).send({ orchestratorId: MISSING }).expect(400);
    await service.call(owner, 'get', `${RUNS}/nonsense`).expect(404);
    await service.call(owner, 'get', `${ORCHESTRATORS}/nonsense`).expect(404);
  });
});
