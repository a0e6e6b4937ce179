import { eventually } from '@twinyard/testing';
import { ping } from '../src/components/ping.component';
import { NS, ORCHESTRATORS, OTHER, RUNS, RunningService } from './running-service';
import { waits } from './waiting';

describe('runs of several namespaces', () => {
  let service: RunningService;
  let owner: string;
  let stranger: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, waits], { RUN_CONCURRENCY: 3, RUN_PER_NAMESPACE: 2 });
    [owner, stranger] = await Promise.all([service.passport.token('owner'), service.passport.token('stranger')]);
    await service.passport.grant('owner', NS, ['*']);
    await service.passport.grant('stranger', OTHER, ['*']);
  });
  afterAll(() => service?.stop());

  const statesOf = (namespace: string) => service.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM orchestrator_run WHERE $1 = ANY(namespaces) GROUP BY state ORDER BY state', [namespace]);

  it('leave room for each other: endless ones of one, and all that it has queued, keep no run of another waiting', async () => {
    const id = await service.orchestrator(owner, [{ _orchcomp: 'waits' }]);
    for (let started = 0; started < 10; started += 1) await service.startRun(owner, id);
    const full = [{ state: 'QUEUED', count: 8 }, { state: 'RUNNING', count: 2 }];
    await eventually(async () => expect(await statesOf(NS)).toEqual(full));
    const { body: theirs } = await service.call(stranger, 'post', ORCHESTRATORS, OTHER).send({ _name: 'Theirs', _namespaces: [OTHER], _params: { tasks: [{ _orchcomp: 'ping' }] } }).expect(200);
    const { body: run } = await service.call(stranger, 'post', RUNS, OTHER).send({ orchestratorId: theirs.id }).expect(200);
    await eventually(async () => expect((await service.call(stranger, 'get', `${RUNS}/${run.id}`, OTHER).expect(200)).body).toMatchObject([{ _status: 'COMPLETED' }]));
    expect(await statesOf(NS)).toEqual(full);
    await service.call(owner, 'post', `${RUNS}/cancel`).send({ orchestratorId: id }).expect(200);
    await eventually(async () => expect(await statesOf(NS)).toEqual([{ state: 'CANCELLED', count: 10 }]));
  });
});
