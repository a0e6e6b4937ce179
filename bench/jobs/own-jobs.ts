import { createDataSource, createLogger, migrate, MetricsRegistry, QuietConnection, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { job, type JobHandler, JobRunner, Jobs, JOBS_MIGRATIONS, JobsMetrics, type JobState, type JobTerms, PostgresNotices, SqlJobStore } from '@twinyard/jobs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Short jobs that one process has in hand. */
export const HANDS = 32;
export const NAMESPACES = 20;

const WORK = job('bench.work', {
  schema: z.object({ at: z.number() }), leaseMs: 10_000, longestMs: 60_000, retry: { attempts: 3, firstMs: 100, longestMs: 1_000 }, concurrency: HANDS,
});

type Handler = JobHandler<{ at: number }>;

/** A tenant's crowd that waits. `rate`: what short jobs of others are done beside it, a second. `waits`: of single ones of another tenant, in ms. */
export interface BesideCrowd {
  readonly rate: number;
  readonly waits: readonly number[];
}

/** The jobs of one process, on a database of its own. */
export class OwnJobs {
  private readonly store: SqlJobStore;
  private readonly logger = createLogger('bench', 'warn');

  private constructor(
    private readonly url: string,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly source: ReturnType<typeof createDataSource>,
  ) {
    this.store = new SqlJobStore(unitOfWork);
  }

  static async open(url: string): Promise<OwnJobs> {
    const source = await createDataSource({ url, entities: [], migrations: [...JOBS_MIGRATIONS] }).initialize();
    await migrate(source);
    return new OwnJobs(url, new TypeOrmUnitOfWork(source), source);
  }

  async close(): Promise<void> {
    await this.source.destroy();
  }

  /** From before the transaction that enqueues to the handler, in ms: `count` jobs, one after the other. */
  async latencies(count: number): Promise<number[]> {
    const waits: number[] = [];
    const runner = this.start({ run: ({ payload }) => Promise.resolve(void waits.push(performance.now() - payload.at)) });
    await delay(1_000);
    await this.oneByOne(count, () => waits.length);
    await runner.beforeApplicationShutdown();
    return waits;
  }

  /** `count` short jobs that wait already, a second: until none of them is left. */
  async throughput(count: number): Promise<number> {
    await this.enqueue(count, 'ns_a', NAMESPACES);
    let done = 0;
    const began = performance.now();
    const runner = this.start({ run: () => Promise.resolve(void (done += 1)) });
    while ((await this.store.statistics()).length > 0) await delay(20);
    const rate = (count / (performance.now() - began)) * 1_000;
    await runner.beforeApplicationShutdown();
    if (done !== count) throw new Error(`${done} of ${count} jobs were done`);
    return rate;
  }

  /** How long the one job of another tenant waits, in ms, while a thousand of one are queued, each of which takes 20 ms, four at a time. */
  async waitBesideSlow(): Promise<number> {
    await this.enqueue(1_000, 'ns_many');
    let waited: number | undefined;
    const runner = this.start({
      run: async ({ namespace, payload }) => {
        if (namespace === 'ns_few') waited = performance.now() - payload.at;
        await delay(20);
      },
    }, { concurrency: 4 });
    await delay(500);
    await this.enqueue(1, 'ns_few');
    while (waited === undefined) await delay(5);
    while ((await this.store.statistics()).length > 0) await delay(20);
    await runner.beforeApplicationShutdown();
    return waited;
  }

  /** Beside `crowd` jobs of one tenant that are due (`READY`), or due tomorrow (`WAITING`): `count` short jobs of others, then `singles` of another, one by one. */
  async besideCrowd(crowd: number, state: Extract<JobState, 'READY' | 'WAITING'>, { count, singles }: { readonly count: number; readonly singles: number }): Promise<BesideCrowd> {
    await this.unitOfWork.run((tx) => tx.query(
      `INSERT INTO job (id, kind, namespace, payload, state, due_at)
       SELECT 'crowd ' || n, $1, 'ns_many', '{"at":0}', $3, now() + $4 * interval '1 day' FROM generate_series(1, $2::int) AS n`,
      [WORK.kind, crowd, state, state === 'READY' ? 0 : 1],
    ));
    await this.enqueue(count, 'ns_a', NAMESPACES);
    let [all, ofOthers] = [0, 0];
    const waits: number[] = [];
    const began = performance.now();
    const runner = this.start({
      run: ({ namespace, payload }) => {
        if (namespace === 'ns_few') waits.push(performance.now() - payload.at);
        else if (namespace !== 'ns_many') ofOthers += 1;
        return Promise.resolve(void (all += 1));
      },
    });
    while (ofOthers < count) await delay(5);
    const rate = (all / (performance.now() - began)) * 1_000;
    await this.oneByOne(singles, () => waits.length);
    await runner.beforeApplicationShutdown();
    await this.unitOfWork.run((tx) => tx.query('TRUNCATE job'));
    return { rate, waits };
  }

  /** What a runner with nothing to do takes of one core, in percent. */
  async idle(ms: number): Promise<number> {
    const runner = this.start({ run: () => Promise.resolve() });
    await delay(2_000);
    const before = process.cpuUsage();
    await delay(ms);
    const { user, system } = process.cpuUsage(before);
    await runner.beforeApplicationShutdown();
    return ((user + system) / 1_000 / ms) * 100;
  }

  /** The next is enqueued when the one before has begun. */
  private async oneByOne(count: number, begun: () => number): Promise<void> {
    for (let n = 1; n <= count; n += 1) {
      await this.enqueue(1, 'ns_few');
      while (begun() < n) await delay(2);
    }
  }

  private start(handler: Handler, terms: Partial<JobTerms> = {}): JobRunner {
    const { unitOfWork, store, logger } = this;
    const runner = new JobRunner(store, new PostgresNotices(new QuietConnection(this.url, logger)), unitOfWork, new JobsMetrics(new MetricsRegistry(), store), { perNamespace: 1_000, keepDeadDays: 1 }, logger);
    runner.handle(WORK, handler, terms);
    runner.onApplicationBootstrap();
    return runner;
  }

  private async enqueue(count: number, namespace: string, namespaces = 1): Promise<void> {
    const jobs = new Jobs(this.store, new PostgresNotices(new QuietConnection(this.url, this.logger)));
    const given = Array.from({ length: count }, (_, n) => ({ payload: { at: performance.now() }, namespace: namespaces === 1 ? namespace : `${namespace}${n % namespaces}` }));
    await this.unitOfWork.run((tx) => jobs.enqueueAll(tx, WORK, given));
  }
}
