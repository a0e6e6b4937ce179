import { eventually } from '@twinyard/testing';
import request from 'supertest';
import type { Component } from '../src/components/component';
import { ping } from '../src/components/ping.component';
import { jobOf, NS, ORCHESTRATORS, type RunBody, RUNS, RunningService } from './running-service';

/** What has been begun and is held until it is let go, by run. */
const held = new Map<string, () => void>();
let most = 0;

const holds: Component = {
  ...ping, id: '00000000-0000-4000-8000-000000000001', name: 'holds',
  run: ({ runId, signal }) => new Promise((resolve, reject) => {
    const over = (end: () => void) => () => {
      held.delete(runId);
      end();
    };
    held.set(runId, over(() => resolve('done')));
    most = Math.max(most, held.size);
    signal.addEventListener('abort', over(() => reject(signal.reason as Error)));
  }),
};
const SEVERAL = { RUN_CONCURRENCY: 8 };

describe('an orchestrator with limits', () => {
  let service: RunningService;
  let owner: string;

  beforeAll(async () => {
    service = await RunningService.start([ping, holds], SEVERAL);
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    await service.addInstance([ping, holds], SEVERAL);
  });
  beforeEach(() => {
    held.clear();
    most = 0;
  });
  afterAll(() => service?.stop());

  const orchestrator = (changes: object) => service.orchestrator(owner, [{ _orchcomp: 'holds' }], changes);
  const put = (id: string, changes: object) => service.call(owner, 'put', `${ORCHESTRATORS}/${id}`).send({ _name: 'Import', _namespaces: [NS], ...changes });
  const start = async (id: string, count: number): Promise<RunBody[]> => {
    const runs: RunBody[] = [];
    for (let made = 0; made < count; made += 1) runs.push(await service.startRun(owner, id));
    return runs;
  };
  /** A worker has looked at it and let it lie, for longer than a test waits. */
  const lies = async ({ id }: RunBody) => {
    expect(await service.query(`SELECT 1 FROM job WHERE ${jobOf(id)} AND state = 'WAITING' AND due_at > clock_timestamp() + interval '20 s'`)).toHaveLength(1);
    expect(await service.run(owner, id)).toMatchObject({ _status: 'QUEUED' });
  };
  const waiting = async () => /^runs_waiting (.*)$/m.exec((await request(service.app.getHttpServer()).get('/metrics').expect(200)).text)?.[1];
  const letAllGo = () => [...held.values()].forEach((letGo) => letGo());

  it('lets its runs lie while it is paused, those under way end, and those that lie begin when it is paused no longer', async () => {
    const id = await orchestrator({});
    const [running] = (await start(id, 1)) as [RunBody];
    await eventually(() => held.has(running.id));
    expect((await put(id, { _paused: true }).expect(200)).body).toMatchObject({ _paused: true, _maxConcurrent: null });
    const runs = await start(id, 2);
    for (const run of runs) await eventually(() => lies(run));
    expect(await waiting()).toBe('0');
    letAllGo();
    expect(await service.ended(owner, running.id)).toMatchObject({ _status: 'COMPLETED' });
    for (const run of runs) await lies(run);
    // A change that does not speak of it leaves it paused.
    expect((await put(id, { _name: 'Renamed' }).expect(200)).body).toMatchObject({ _paused: true });
    for (const run of runs) await lies(run);
    await put(id, { _paused: false }).expect(200);
    await eventually(() => runs.every((run) => held.has(run.id)), { timeoutMs: 15_000 });
    letAllGo();
    for (const run of runs) expect(await service.ended(owner, run.id)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('has no more runs under way than it may, with several replicas, and goes on as each ends', async () => {
    const id = await orchestrator({ _maxConcurrent: 2 });
    const runs = await start(id, 6);
    const another = await service.startRun(owner, await orchestrator({}));
    await eventually(() => held.size === 3);
    expect(held.has(another.id)).toBe(true);
    held.get(another.id)?.();
    await service.ended(owner, another.id);
    most = 0;
    const open = new Set(runs.map((run) => run.id));
    while (open.size > 0) {
      await eventually(() => held.size === Math.min(2, open.size), { timeoutMs: 15_000 });
      const next = [...held.keys()][0] ?? '';
      held.get(next)?.();
      expect(await service.ended(owner, next)).toMatchObject({ _status: 'COMPLETED' });
      open.delete(next);
    }
    expect(most).toBe(2);
  });

  it.each(['cancelled', 'deleted'])('gives the room of a run that is %s to the next', async (how) => {
    const id = await orchestrator({ _maxConcurrent: 1 });
    const runs = await start(id, 2);
    await eventually(() => held.size === 1);
    const first = runs.find((run) => held.has(run.id)) as RunBody;
    const second = runs.find((run) => run !== first) as RunBody;
    await eventually(() => lies(second));
    expect(await waiting()).toBe('0');
    if (how === 'deleted') await service.call(owner, 'delete', `${RUNS}/${first.id}`).expect(204);
    else await service.call(owner, 'put', `${RUNS}/${first.id}`).send({ id: first.id }).expect(200);
    await eventually(() => held.has(second.id), { timeoutMs: 15_000 });
    letAllGo();
    await service.ended(owner, second.id);
  });

  it('lets more begin when it may have more', async () => {
    const id = await orchestrator({ _maxConcurrent: 1 });
    const runs = await start(id, 3);
    await eventually(() => held.size === 1);
    for (const run of runs.filter((one) => !held.has(one.id))) await eventually(() => lies(run));
    expect((await put(id, { _maxConcurrent: null }).expect(200)).body).toMatchObject({ _maxConcurrent: null });
    await eventually(() => held.size === 3, { timeoutMs: 15_000 });
    letAllGo();
    for (const run of runs) await service.ended(owner, run.id);
  });

  it('cancels runs that lie at once', async () => {
    const id = await orchestrator({ _paused: true });
    const [run] = (await start(id, 1)) as [RunBody];
    await eventually(() => lies(run));
    await service.call(owner, 'put', `${RUNS}/${run.id}`).send({ id: run.id }).expect(200);
    expect(await service.run(owner, run.id)).toMatchObject({ _status: 'CANCELLED' });
  });

  it('takes no other limits than whole numbers', async () => {
    for (const changes of [{ _maxConcurrent: 0 }, { _maxConcurrent: 1.5 }, { _maxConcurrent: 1_001 }, { _maxConcurrent: 'one' }, { _paused: 'yes' }]) {
      const { body } = await service.call(owner, 'post', ORCHESTRATORS).send({ _name: 'X', _namespaces: [NS], _params: { tasks: [{ _orchcomp: 'ping' }] }, ...changes }).expect(400);
      expect([...new Set(body.details.map(({ field }: { field: string }) => field))]).toEqual(Object.keys(changes));
    }
  });
});
