import { invalid, newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, OTHER, type RunBody, RUNS, RunningService } from './running-service';
import { waits } from './waiting';

const PROFILE = newUuid();
let isBroken = true;
const done: string[] = [];

const counts: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000001', name: 'counts',
  run: async ({ runId }) => {
    done.push(runId);
    return { made: done.length };
  },
};
const breaks: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000002', name: 'breaks',
  run: ({ inparams }) => (isBroken ? Promise.reject(invalid('the roof is missing')) : Promise.resolve({ inparams })),
};
const held: unknown[] = [];
let release: () => void;
const untilReleased = new Promise<void>((resolve) => (release = resolve));
const holds: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000003', name: 'held',
  run: async ({ params }) => {
    held.push(params);
    await untilReleased;
  },
};

describe('a run that is tried again', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, counts, breaks, holds, waits], { RUN_CONCURRENCY: 1 });
    const { passport } = service;
    owner = await passport.token('owner');
    passport.addProfile(PROFILE, [NS]);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
    await passport.grant('operator', NS, ['READ', 'RUN'], 'datasourcesvc:orchestrator:*');
  });
  beforeEach(() => {
    isBroken = true;
    done.length = 0;
  });
  afterAll(() => service?.stop());

  const tasks = (...names: readonly string[]) => names.map((_orchcomp) => ({ _orchcomp }));
  const retry = (token: string, id: string) => service.call(token, 'post', `${RUNS}/${id}/retry`);
  const failed = async (id: string): Promise<RunBody> => service.ended(owner, (await service.startRun(owner, id)).id);

  it('goes on at the step that failed, with what the steps before it have returned', async () => {
    const id = await service.orchestrator(owner, tasks('counts', 'breaks', 'ping'), { _instant: true });
    const first = await service.startRun(owner, id);
    expect(first).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR', _statusmsg: 'the roof is missing' }, { _status: 'CANCELLED' }] });
    isBroken = false;
    const operator = await service.passport.token('operator');
    const { body: again } = await retry(operator, first.id).expect(200);
    expect(again).toMatchObject({
      _orchid: id, _retryOf: first.id, _status: 'QUEUED', _createdby: 'operator', _createdat: expect.any(Number),
      orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'QUEUED', _statusmsg: '' }, { _status: 'QUEUED' }],
    });
    const ended = await service.ended(owner, again.id as string);
    expect(ended).toMatchObject({ _status: 'COMPLETED', _retryOf: first.id });
    expect(JSON.parse(ended._result as string)).toMatchObject({ inparams: { inparams: { made: 1 } } });
    expect(done).toEqual([first.id]);
    expect((await service.log(owner, ended.id))[0]).toMatchObject({ orchRunId: ended.id, message: expect.stringContaining(`${first.id} has ended: 1 of 3 steps`) });
    const before = await service.run(owner, first.id);
    expect(before).toMatchObject({ _status: 'ERROR' });
    expect(before).not.toHaveProperty('_retryOf');
  });

  it('is one that failed or was cancelled, also one that was tried again itself', async () => {
    const id = await service.orchestrator(owner, tasks('counts', 'waits'));
    const run = await service.startRun(owner, id);
    await eventually(async () => expect((await service.run(owner, run.id)).orchrunsteps[1]?._status).toBe('RUNNING'));
    await retry(owner, run.id).expect(400);
    await service.call(owner, 'put', `${RUNS}/${run.id}`).send({ id: run.id }).expect(200);
    expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'CANCELLED' });
    const again = (await retry(owner, run.id).expect(200)).body as RunBody;
    await eventually(async () => expect((await service.run(owner, again.id)).orchrunsteps[1]?._status).toBe('RUNNING'));
    await service.call(owner, 'put', `${RUNS}/${again.id}`).send({ id: again.id }).expect(200);
    await service.ended(owner, again.id);
    const third = (await retry(owner, again.id).expect(200)).body as RunBody;
    await service.call(owner, 'put', `${RUNS}/${third.id}`).send({ id: third.id }).expect(200);
    await service.ended(owner, third.id);
    expect(done).toEqual([run.id]);
    const completed = await failed(await service.orchestrator(owner, tasks('ping')));
    expect(completed._status).toBe('COMPLETED');
    await retry(owner, completed.id).expect(400);
  });

  it('keeps its steps when the orchestrator gets others, and is refused when that has another profile or is gone', async () => {
    const id = await service.orchestrator(owner, tasks('counts', 'breaks'));
    const run = await failed(id);
    const put = (changes: object) => service.call(owner, 'put', `${ORCHESTRATORS}/${id}`).send({ _name: 'Import', _namespaces: [NS], ...changes }).expect(200);
    await put({ _params: { tasks: tasks('ping') } });
    const again = await service.ended(owner, ((await retry(owner, run.id).expect(200)).body as RunBody).id);
    expect(again).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR' }] });
    await put({ _permissionprofileid: PROFILE });
    await retry(owner, run.id).expect(400);
    await put({ _permissionprofileid: null });
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${id}`).expect(204);
    await retry(owner, run.id).expect(400);
    expect(done).toEqual([run.id]);
  });

  it('keeps its steps and their parameters also when the orchestrator gets others while it runs', async () => {
    const id = await service.orchestrator(owner, [{ _orchcomp: 'held' }, { _orchcomp: 'held', _actualparams: { which: 'second' } }]);
    const { id: runId } = await service.startRun(owner, id);
    await eventually(() => expect(held).toHaveLength(1));
    await service.call(owner, 'put', `${ORCHESTRATORS}/${id}`).send({ _name: 'Import', _namespaces: [NS], _params: { tasks: tasks('breaks') } }).expect(200);
    release();
    expect(await service.ended(owner, runId)).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'COMPLETED' }] });
    expect(held).toEqual([{}, { which: 'second' }]);
  });

  it('needs RUN on its orchestrator, and a token that may write', async () => {
    const { id } = await failed(await service.orchestrator(owner, tasks('breaks')));
    const [viewer, stranger, reader] = await Promise.all([service.passport.token('viewer'), service.passport.token('stranger'), service.passport.token('owner', { scopes: ['read'] })]);
    await retry('x.y.z', id).expect(401);
    await retry(viewer, id).expect(403);
    await retry(reader, id).expect(403);
    await retry(stranger, id).expect(404);
    await service.call(stranger, 'post', `${RUNS}/${id}/retry`, OTHER).expect(404);
    await retry(owner, newUuid()).expect(404);
    await retry(owner, 'nonsense').expect(404);
    expect((await service.call(owner, 'get', RUNS).query({ _pageSize: 1_000 }).expect(200)).body._list.filter(({ _retryOf }: { _retryOf?: string }) => _retryOf === id)).toEqual([]);
  });

  it('counts as one of the twenty that wait', async () => {
    const run = await failed(await service.orchestrator(owner, tasks('breaks')));
    const id = await service.orchestrator(owner, tasks('waits'));
    const blocker = await service.startRun(owner, id);
    await eventually(async () => expect((await service.run(owner, blocker.id))._status).toBe('RUNNING'));
    for (let queued = 0; queued < 19; queued += 1) await service.startRun(owner, id);
    await retry(owner, run.id).expect(200);
    expect((await retry(owner, run.id).expect(400)).body).toMatchObject({ code: 'limit_exceeded' });
    await service.call(owner, 'post', RUNS).send({ orchestratorId: id }).expect(400);
  });
});
