import { createDataSource, createLogger, migrate, MetricsRegistry, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { job, type JobHandler, JobRunner, Jobs, JOBS_MIGRATIONS, JobsMetrics, type JobTerms, PostgresNotices, SqlJobStore } from '@twinyard/jobs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { type BenchRow, perSecond } from '../bench-table';
import { quantile } from '../statistics';
import { benchBareClaims } from './bare-claims';

const group = 'jobs';
const SHORT = 6_000;
const CROWD = 1_000_000;
const ROUNDS = 60;
const IDLE_MS = 20_000;

const WORK = job('bench.work', { schema: z.object({ at: z.number() }), leaseMs: 10_000, longestMs: 60_000, retry: { attempts: 3, firstMs: 100, longestMs: 1_000 }, concurrency: 32 });

type Handler = JobHandler<{ at: number }>;

/** The jobs of one process on a database of its own, beside a bare loop that claims and deletes one row at a time. */
export async function benchJobs(serverUrl: string): Promise<BenchRow[]> {
  const url = await freshDatabase(serverUrl);
  const source = await createDataSource({ url, entities: [], migrations: [...JOBS_MIGRATIONS] }).initialize();
  await migrate(source);
  const bench = new JobsBench(url, new TypeOrmUnitOfWork(source));
  try {
    const throughput = await bench.throughput(await benchBareClaims(url, SHORT));
    return [await bench.latency(), throughput, await bench.fairness(), ...(await bench.crowd(throughput.value ?? Number.NaN)), await bench.idle()];
  } finally {
    await source.destroy();
  }
}

class JobsBench {
  private readonly store: SqlJobStore;
  private readonly logger = createLogger('bench', 'warn');

  constructor(private readonly url: string, private readonly unitOfWork: TypeOrmUnitOfWork) {
    this.store = new SqlJobStore(unitOfWork);
  }

  async latency(): Promise<BenchRow> {
    const waits: number[] = [];
    const runner = this.start({ run: ({ payload }) => Promise.resolve(void waits.push(performance.now() - payload.at)) });
    await delay(1_000);
    for (let n = 1; n <= ROUNDS; n += 1) {
      await this.enqueue(1, 'ns_a');
      while (waits.length < n) await delay(2);
    }
    await runner.beforeApplicationShutdown();
    const sorted = waits.sort((one, other) => one - other);
    const [p50 = 0, p95 = 0] = [quantile(sorted, 0.5), quantile(sorted, 0.95)];
    return { group, what: 'enqueue (with its commit) to start, p50 / p95', measured: `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`, value: p50, goal: 'p50 <= 20 ms' };
  }

  async throughput(bare: number): Promise<BenchRow> {
    await this.enqueue(SHORT, 'ns_a', 20);
    let done = 0;
    const began = performance.now();
    const runner = this.start({ run: () => Promise.resolve(void (done += 1)) });
    while ((await this.store.statistics()).length > 0) await delay(20);
    const rate = (SHORT / (performance.now() - began)) * 1_000;
    await runner.beforeApplicationShutdown();
    if (done !== SHORT) throw new Error(`${done} of ${SHORT} jobs were done`);
    return { group, what: `${SHORT} short jobs of 20 namespaces, a second`, measured: perSecond(rate), bare: perSecond(bare), ratio: (rate / bare).toFixed(2), value: rate, goal: '>= 1,500' };
  }

  /** How long the one job of another tenant waits while a thousand of one are queued, each of which takes 20 ms. */
  async fairness(): Promise<BenchRow> {
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
    return { group, what: 'wait of another tenant behind 1,000 jobs of 20 ms, 4 at a time', measured: `${waited.toFixed(0)} ms`, value: waited, goal: '< 1 s' };
  }

  /** A tenant's million that waits: what claims cost then, and how long another's next job waits. `rate`: of short jobs a second without them. */
  async crowd(rate: number): Promise<BenchRow[]> {
    await this.unitOfWork.run((tx) => tx.query(
      `INSERT INTO job (id, kind, namespace, payload, state, due_at) SELECT 'crowd ' || n, $1, 'ns_many', '{"at":0}', 'READY', now() FROM generate_series(1, $2::int) AS n`, [WORK.kind, CROWD],
    ));
    let done = 0;
    const waits: number[] = [];
    const began = performance.now();
    const runner = this.start({
      run: ({ namespace, payload }) => {
        if (namespace === 'ns_few') waits.push(performance.now() - payload.at);
        return Promise.resolve(void (done += 1));
      },
    });
    while (done < SHORT) await delay(5);
    const beside = (done / (performance.now() - began)) * 1_000;
    for (let n = 1; n <= ROUNDS; n += 1) {
      await this.enqueue(1, 'ns_few');
      while (waits.length < n) await delay(2);
    }
    await runner.beforeApplicationShutdown();
    await this.unitOfWork.run((tx) => tx.query('TRUNCATE job'));
    const longest = Math.max(...waits);
    const crowd = CROWD.toLocaleString('en');
    return [
      { group, what: `short jobs a second, of a tenant with ${crowd} that wait; of those without`, measured: perSecond(beside), bare: perSecond(rate), ratio: (beside / rate).toFixed(2), value: beside, goal: 'ratio >= 0.83' },
      { group, what: `the longest wait of ${ROUNDS} jobs of another tenant beside them`, measured: `${longest.toFixed(0)} ms`, value: longest, goal: '< 1 s' },
    ];
  }

  async idle(): Promise<BenchRow> {
    const runner = this.start({ run: () => Promise.resolve() });
    await delay(2_000);
    const before = process.cpuUsage();
    await delay(IDLE_MS);
    const { user, system } = process.cpuUsage(before);
    await runner.beforeApplicationShutdown();
    return { group, what: 'idle runner, of one core', measured: `${((user + system) / 1_000 / IDLE_MS * 100).toFixed(2)} %` };
  }

  private start(handler: Handler, terms: Partial<JobTerms> = {}): JobRunner {
    const { unitOfWork, store, logger } = this;
    const runner = new JobRunner(store, new PostgresNotices(this.url, logger), unitOfWork, new JobsMetrics(new MetricsRegistry(), store), { perNamespace: 1_000, keepDeadDays: 1 }, logger);
    runner.handle(WORK, handler, terms);
    runner.onApplicationBootstrap();
    return runner;
  }

  private async enqueue(count: number, namespace: string, namespaces = 1): Promise<void> {
    const jobs = new Jobs(this.store, new PostgresNotices(this.url, this.logger));
    const given = Array.from({ length: count }, (_, n) => ({ payload: { at: performance.now() }, namespace: namespaces === 1 ? namespace : `${namespace}${n % namespaces}` }));
    await this.unitOfWork.run((tx) => jobs.enqueueAll(tx, WORK, given));
  }
}

async function freshDatabase(serverUrl: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query('DROP DATABASE IF EXISTS bench_jobs WITH (FORCE)');
    await client.query('CREATE DATABASE bench_jobs');
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = '/bench_jobs';
  return url.href;
}
