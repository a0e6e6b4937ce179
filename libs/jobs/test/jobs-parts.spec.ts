import { MetricsRegistry, type Tx, type UnitOfWork } from '@twinyard/service-kit';
import { type Claimed, DeadJobsSweep, type JobNotices, JobRunner, JobsMetrics, type JobsOptions, type JobStore, type KindStatistics, type Noticed, type Schedules } from '../src';
import { LOGGER, NOTE, OPTIONS } from './jobs-subject';

const DAY_MS = 86_400_000;
const NOTHING: Claimed = { jobs: [], isMore: false, notEnded: [] };
const STATISTICS: KindStatistics[] = [{ kind: NOTE.kind, queued: 2, running: 1, dead: 0, oldestMs: 5_000 }];

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function runnerOn(store: object, notices: object, options: JobsOptions = OPTIONS): JobRunner {
  const unitOfWork = { run: (work: (tx: Tx) => Promise<unknown>) => work({} as Tx) };
  const metrics = { known: () => undefined, finished: () => undefined, failed: () => undefined, worked: () => undefined };
  const parts = [store, notices, unitOfWork, metrics] as unknown as [JobStore, JobNotices, UnitOfWork<Tx>, JobsMetrics];
  return new JobRunner(...parts, options, LOGGER);
}

it('a process with nothing to do looks through its kinds every 15 s, and claims when a notice or a look tells it of something, and not else', async () => {
  const look = jest.fn<Promise<ReadonlyMap<string, number>>, Parameters<JobStore['look']>>(() => Promise.resolve(new Map()));
  const claim = jest.fn<Promise<Claimed>, Parameters<JobStore['claim']>>(() => Promise.resolve(NOTHING));
  let tell: (noticed: Noticed) => void = () => undefined;
  const runner = runnerOn({ look, claim }, { start: (onNotice: typeof tell) => void (tell = onNotice), stop: () => Promise.resolve() });
  runner.handle(NOTE, { run: () => Promise.resolve() });
  runner.onApplicationBootstrap();
  const askedAfter = async (ms: number) => {
    await jest.advanceTimersByTimeAsync(ms);
    return { looks: look.mock.calls.length, claims: claim.mock.calls.length };
  };
  expect(await askedAfter(14_900)).toEqual({ looks: 1, claims: 0 });
  expect(await askedAfter(100)).toEqual({ looks: 2, claims: 0 });
  tell(NOTE.kind);
  expect(await askedAfter(100)).toEqual({ looks: 2, claims: 1 });
  tell('all');
  expect(await askedAfter(100)).toEqual({ looks: 3, claims: 1 });
  // Of something that falls due in two seconds.
  look.mockResolvedValueOnce(new Map([[NOTE.kind, 2_000]]));
  expect(await askedAfter(14_800)).toEqual({ looks: 4, claims: 1 });
  expect(await askedAfter(1_900)).toEqual({ looks: 4, claims: 1 });
  expect(await askedAfter(200)).toEqual({ looks: 4, claims: 2 });
  expect(await askedAfter(12_000)).toEqual({ looks: 4, claims: 2 });
  await runner.beforeApplicationShutdown();
});

it('the figures of jobs are asked for once in some seconds, whoever looks', async () => {
  const statistics = jest.fn(() => Promise.resolve(STATISTICS));
  const registry = new MetricsRegistry();
  new JobsMetrics(registry, { statistics } as unknown as JobStore).known(NOTE.kind);
  const { registry: figuresOf } = registry;
  const figures = () => figuresOf.metrics();
  expect(await figures()).toMatch(/jobs_queued\{kind="test.note"\} 2[^]*jobs_oldest_seconds\{kind="test.note"\} 5/);
  await figures();
  await jest.advanceTimersByTimeAsync(4_900);
  await figures();
  expect(statistics).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(100);
  await figures();
  expect(statistics).toHaveBeenCalledTimes(2);
});

it('kinds that a process has no handler for are told of up to twenty, those with the most jobs that wait', async () => {
  const gone = Array.from({ length: 25 }, (_, queued) => ({ kind: `gone.kind-${queued}`, queued, running: 0, dead: 1, oldestMs: 0 }));
  const figures = new MetricsRegistry();
  new JobsMetrics(figures, { statistics: () => Promise.resolve([...STATISTICS, ...gone]) } as unknown as JobStore).known(NOTE.kind);
  const told = [...(await figures.registry.metrics()).matchAll(/^jobs_without_handler\{kind="gone.kind-\d+"\} (\d+)$/gm)].map(([, queued]) => Number(queued));
  expect(told.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, n) => n + 5));
});

it('dead jobs that have had their time are forgotten at the start and every hour, step by step', async () => {
  const left = [500, 20, 0, 0];
  const prune = jest.fn<Promise<number>, Parameters<JobStore['prune']>>(() => Promise.resolve(left.shift() ?? 0));
  const every = jest.fn<void, Parameters<Schedules['every']>>();
  new DeadJobsSweep({ prune } as unknown as JobStore, { every } as unknown as Schedules, OPTIONS).onModuleInit();
  const [, interval, sweep] = every.mock.calls[0] as Parameters<Schedules['every']>;
  expect(interval).toEqual({ everyMs: 3_600_000, atStart: true });
  const before = new Date(Date.now() - OPTIONS.keepDeadDays * DAY_MS);
  const hold = () => Promise.resolve();
  await sweep(new AbortController().signal, hold);
  expect(prune.mock.calls).toEqual([[before, 10_000], [before, 10_000], [before, 10_000]]);
  await sweep(AbortSignal.abort(), hold);
  expect(prune).toHaveBeenCalledTimes(3);
});

it('a process that ends hands its jobs over before it stops listening, and waits for neither without end', async () => {
  const done: string[] = [];
  const stop = () => {
    done.push('listens no more');
    return new Promise<void>(() => undefined);
  };
  const claimed = { jobs: [{ id: 'a', token: 1, namespace: '', payload: { text: 'x' }, attempt: 1, ageMs: 0, unread: 0 }], isMore: false, notEnded: [] };
  const requeue = () => Promise.resolve(void done.push('handed over')).then(() => true);
  const store = { look: () => Promise.resolve(new Map([[NOTE.kind, 0]])), claim: () => Promise.resolve(claimed), renew: () => Promise.resolve(new Set()), requeue };
  const runner = runnerOn(store, { start: () => undefined, stop }, { ...OPTIONS, graceMs: 1_000 });
  runner.handle(NOTE, { run: () => new Promise(() => undefined) });
  runner.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(10);
  const stopped = runner.beforeApplicationShutdown().then(() => done.push('over'));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(['handed over', 'listens no more']);
  await jest.advanceTimersByTimeAsync(5_000);
  await stopped;
  expect(done).toEqual(['handed over', 'listens no more', 'over']);
});
