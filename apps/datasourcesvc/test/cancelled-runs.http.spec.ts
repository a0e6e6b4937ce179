import { eventually } from '@twinyard/testing';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, OTHER, type RunBody, RUNS, RunningService } from './running-service';
import { waits } from './waiting';

const MISSING = '00000000-0000-4000-8000-00000000dead';

describe('several runs that are cancelled together', () => {
  let service: RunningService;
  let owner: string;
  let viewer: string;
  let stranger: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, waits], { RUN_CONCURRENCY: 1 });
    const { passport } = service;
    [owner, viewer, stranger] = await Promise.all([passport.token('owner'), passport.token('viewer'), passport.token('stranger')]);
    await passport.grant('owner', NS, ['*']);
    await passport.grant('viewer', NS, ['READ']);
    await passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(() => service?.stop());

  const cancel = (token: string, body: object, ns = NS) => service.call(token, 'post', `${RUNS}/cancel`, ns).send(body);
  const orchestrator = (component: string) => service.orchestrator(owner, [{ _orchcomp: component }]);
  const running = async (run: RunBody) => eventually(async () => expect((await service.run(owner, run.id))._status).toBe('RUNNING'));

  it('end or are asked to, each by itself: one that has ended or is not there keeps no other', async () => {
    const ended = await service.startRun(owner, await orchestrator('ping'));
    await service.ended(owner, ended.id);
    const id = await orchestrator('waits');
    const [first, second] = [await service.startRun(owner, id), await service.startRun(owner, id)];
    await running(first);
    const { body } = await cancel(owner, { ids: [first.id, MISSING, ended.id, 'nonsense', second.id, first.id] }).expect(200);
    expect(body).toEqual({
      _success: [first.id, second.id],
      _failures: [
        { id: MISSING, _reason: expect.stringContaining('There is no run') },
        { id: ended.id, _reason: expect.stringContaining('has ended') },
        { id: 'nonsense', _reason: expect.stringContaining('There is no run') },
      ],
    });
    for (const run of [first, second]) expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }] });
    expect(await service.run(owner, ended.id)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('are all of an orchestrator that have not ended, and none of another', async () => {
    const [id, other] = [await orchestrator('waits'), await orchestrator('waits')];
    const runs = [await service.startRun(owner, id), await service.startRun(owner, id), await service.startRun(owner, id)];
    const kept = await service.startRun(owner, other);
    expect((await cancel(owner, { orchestratorId: id }).expect(200)).body).toEqual({ _success: runs.map((run) => run.id), _failures: [] });
    for (const run of runs) expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'CANCELLED' });
    expect((await cancel(owner, { orchestratorId: id }).expect(200)).body).toEqual({ _success: [], _failures: [] });
    await running(kept);
    await cancel(owner, { orchestratorId: other }).expect(200);
    await service.ended(owner, kept.id);
  });

  it('need RUN on the orchestrator of each, and are nobody else\'s', async () => {
    const [id, other] = [await orchestrator('waits'), await orchestrator('waits')];
    const [run, kept] = [await service.startRun(owner, id), await service.startRun(owner, other)];
    await cancel('x.y.z', { ids: [run.id] }).expect(401);
    await cancel(viewer, { ids: [run.id] }).expect(403);
    await cancel(stranger, { ids: [run.id] }).expect(403);
    await cancel(await service.passport.token('owner', { scopes: ['read'] }), { ids: [run.id] }).expect(403);
    expect((await cancel(stranger, { ids: [run.id] }, OTHER).expect(200)).body).toMatchObject({ _success: [], _failures: [{ id: run.id, _reason: expect.stringContaining('There is no run') }] });
    await cancel(stranger, { orchestratorId: id }, OTHER).expect(400);
    await service.passport.grant('operator', NS, ['READ'], 'datasourcesvc:orchestrator:*');
    await service.passport.grant('operator', NS, ['RUN'], `datasourcesvc:orchestrator:${id}`);
    const { body } = await cancel(await service.passport.token('operator'), { ids: [kept.id, run.id] }).expect(200);
    expect(body).toEqual({ _success: [run.id], _failures: [{ id: kept.id, _reason: expect.stringContaining('permission') }] });
    expect((await service.run(owner, kept.id))._status).not.toBe('REQUEST_CANCEL');
    await service.call(owner, 'delete', `${ORCHESTRATORS}/${other}`).expect(204);
    await service.ended(owner, kept.id);
  });

  it('are named by ids or by their orchestrator, and not by more than a thousand', async () => {
    for (const body of [{}, { ids: [] }, { ids: 'all' }, { ids: [7] }, { ids: [MISSING], orchestratorId: MISSING }, { ids: Array.from({ length: 1_001 }, () => MISSING) }]) await cancel(owner, body).expect(400);
    expect((await cancel(owner, { orchestratorId: MISSING }).expect(400)).body.details).toEqual([{ field: 'orchestratorId', issue: 'names no orchestrator' }]);
  });
});
