import { eventually } from '@twinyard/testing';
import { ping } from '../src/components/ping.component';
import { MAX_INSTANT } from '../src/execution/run-jobs';
import { ORCHESTRATORS, OTHER, RUNS, RunningService } from './running-service';
import { waits } from './waiting';

describe('instant runs', () => {
  let service: RunningService;
  let hostile: string;
  let good: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, waits]);
    const { passport } = service;
    [hostile, good] = await Promise.all([passport.token('hostile'), passport.token('good')]);
    await passport.grant('hostile', 'house_a1B2c3D4', ['*']);
    await passport.grant('good', OTHER, ['*']);
  });

  afterAll(() => service?.stop());

  it('of one namespace leave places to others, however many there are and however long they take', async () => {
    const endless = await service.orchestrator(hostile, [{ _orchcomp: 'waits' }], { _instant: true });
    const starts = Array.from({ length: 2 * MAX_INSTANT }, () => service.call(hostile, 'post', RUNS).send({ orchestratorId: endless }).then(({ status }) => status));
    const refused: number[] = [];
    for (const start of starts) void start.then((status) => refused.push(status));
    const running = () => service.query<{ id: string }>(`SELECT id FROM orchestrator_run WHERE state = 'RUNNING'`);
    // Its share is taken, to the last place.
    const held = Math.ceil(MAX_INSTANT * 0.6);
    await eventually(async () => expect([(await running()).length, refused.length]).toEqual([held, starts.length - held]));
    expect(new Set(refused)).toEqual(new Set([503]));
    const body = { _name: 'Short', _namespaces: [OTHER], _instant: true, _params: { tasks: [{ _orchcomp: 'ping' }] } };
    const { id } = (await service.call(good, 'post', ORCHESTRATORS, OTHER).send(body).expect(200)).body as { id: string };
    const run = await service.call(good, 'post', RUNS, OTHER).send({ orchestratorId: id }).expect(200);
    expect(run.body).toMatchObject({ _status: 'COMPLETED' });
    for (const { id: one } of await running()) await service.call(hostile, 'put', `${RUNS}/${one}`).send({ id: one }).expect(200);
    expect((await Promise.all(starts)).filter((status) => status === 200)).toHaveLength(held);
    // Places that were given back are taken again.
    const short = await service.orchestrator(hostile, [{ _orchcomp: 'ping' }], { _instant: true });
    expect(await service.startRun(hostile, short)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('stand behind no queued runs, however many those are, and keep none of them waiting', async () => {
    const [queued, instant] = [await service.orchestrator(hostile, [{ _orchcomp: 'waits' }]), await service.orchestrator(hostile, [{ _orchcomp: 'waits' }], { _instant: true })];
    const [short, shortInstant] = [await service.orchestrator(hostile, [{ _orchcomp: 'ping' }]), await service.orchestrator(hostile, [{ _orchcomp: 'ping' }], { _instant: true })];
    const stateOf = async (state: string, orchestratorId: string) => (await service.query(`SELECT 1 FROM orchestrator_run WHERE state = $1 AND orchestrator_id = $2`, [state, orchestratorId])).length;
    const cancelAll = (orchestratorId: string) => service.call(hostile, 'post', `${RUNS}/cancel`).send({ orchestratorId }).expect(200);
    for (let started = 0; started < 6; started += 1) await service.startRun(hostile, queued);
    await eventually(async () => expect([await stateOf('RUNNING', queued), await stateOf('QUEUED', queued)]).toEqual([2, 4]));
    expect(await service.startRun(hostile, shortInstant)).toMatchObject({ _status: 'COMPLETED' });
    expect(await stateOf('RUNNING', queued)).toBe(2);
    await cancelAll(queued);
    await eventually(async () => expect(await stateOf('CANCELLED', queued)).toBe(6));
    const held = Math.ceil(MAX_INSTANT * 0.6);
    const requests = Array.from({ length: held }, () => service.call(hostile, 'post', RUNS).send({ orchestratorId: instant }).then(({ status }) => status));
    await eventually(async () => expect(await stateOf('RUNNING', instant)).toBe(held));
    const { id } = await service.startRun(hostile, short);
    expect(await service.ended(hostile, id)).toMatchObject({ _status: 'COMPLETED' });
    expect(await stateOf('RUNNING', instant)).toBe(held);
    await cancelAll(instant);
    expect(await Promise.all(requests)).toEqual(Array.from({ length: held }, () => 200));
  });

  it('are cancelled when their time is up, and answered so', async () => {
    const hasty = await RunningService.start([ping, waits], { INSTANT_RUN_SECONDS: 1 });
    try {
      const owner = await hasty.passport.token('owner');
      await hasty.passport.grant('owner', 'house_a1B2c3D4', ['*']);
      const endless = await hasty.orchestrator(owner, [{ _orchcomp: 'waits' }], { _instant: true });
      const { body } = await hasty.call(owner, 'post', RUNS).send({ orchestratorId: endless }).expect(400);
      expect(body).toMatchObject({ code: 'instant_timeout', message: expect.stringContaining('is cancelled') });
      const [run] = await hasty.query<{ id: string }>('SELECT id FROM orchestrator_run');
      expect(await hasty.ended(owner, run?.id ?? '')).toMatchObject({ _status: 'CANCELLED' });
      expect(await hasty.startRun(owner, await hasty.orchestrator(owner, [{ _orchcomp: 'ping' }], { _instant: true }))).toMatchObject({ _status: 'COMPLETED' });
    } finally {
      await hasty.stop();
    }
  });
});
