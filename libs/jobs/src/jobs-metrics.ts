import { Injectable } from '@nestjs/common';
import { MetricsRegistry } from '@twinyard/service-kit';
import { JobStore, type KindStatistics } from './store/job-store';

type Counted = 'queued' | 'running' | 'dead' | 'oldestSeconds';

/** All gauges are asked for at once when somebody looks, and several may look: the store is asked once in this time. */
const KEPT_MS = 5_000;
/** Of kinds without a handler. A release forgets few; a fault that makes names up is not to fill the answer. */
const MOST_UNKNOWN = 20;
/** From a mail's milliseconds to what takes hours. */
const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 1_800, 7_200];

/** What operators watch. By kind, never by namespace: the number of tenants has no bound. */
@Injectable()
export class JobsMetrics {
  private readonly kinds = new Set<string>();
  private readonly ends: ReturnType<MetricsRegistry['counter']>;
  private readonly failures: ReturnType<MetricsRegistry['counter']>;
  private readonly seconds: ReturnType<MetricsRegistry['histogram']>;
  private asked: { readonly at: number; readonly statistics: Promise<KindStatistics[] | undefined> } | undefined;

  constructor(registry: MetricsRegistry, private readonly store: JobStore) {
    this.register(registry, 'jobs_queued', 'Jobs that wait, due or not, by kind, counted up to 10,000', 'queued');
    this.register(registry, 'jobs_running', 'Jobs that are being done, in all processes, by kind', 'running');
    this.register(registry, 'jobs_oldest_seconds', 'How long the job has waited that is due longest, by kind', 'oldestSeconds');
    this.register(registry, 'jobs_dead', 'Jobs that were given up and wait for an operator, by kind', 'dead');
    registry.gauge('jobs_without_handler', 'Jobs that wait and that this process has no handler for, by kind', ['kind'], async (gauge) => {
      gauge.reset();
      for (const { kind, queued } of await this.withoutHandler()) gauge.set({ kind }, queued);
    });
    this.ends = registry.counter('jobs_finished_total', 'Attempts at jobs that ended well in this process, by kind', ['kind']);
    this.failures = registry.counter('jobs_failed_total', 'Attempts at jobs that failed in this process, by kind', ['kind']);
    this.seconds = registry.histogram('jobs_seconds', 'How long attempts at jobs took in this process, however they ended, by kind', ['kind'], SECONDS);
  }

  /** From now on its figures are there, if only as 0. */
  known(kind: string): void {
    this.kinds.add(kind);
    this.ends.inc({ kind }, 0);
    this.failures.inc({ kind }, 0);
    this.seconds.zero({ kind });
  }

  /** The job is done, or its next step is ordered. */
  finished(kind: string): void {
    this.ends.inc({ kind });
  }

  /** Whatever becomes of the job. */
  failed(kind: string): void {
    this.failures.inc({ kind });
  }

  /** So long a handler was at it. */
  worked(kind: string, ms: number): void {
    this.seconds.observe({ kind }, ms / 1_000);
  }

  private register(registry: MetricsRegistry, name: string, help: string, counted: Counted): void {
    registry.gauge(name, help, ['kind'], async (gauge) => {
      gauge.reset();
      const statistics = await this.statistics();
      // A number that cannot be asked for is absent.
      if (statistics === undefined) return;
      for (const kind of this.kinds) gauge.set({ kind }, 0);
      for (const one of statistics) gauge.set({ kind: one.kind }, counted === 'oldestSeconds' ? one.oldestMs / 1_000 : one[counted]);
    });
  }

  /** The kinds with the most jobs. */
  private async withoutHandler(): Promise<KindStatistics[]> {
    const unknown = (await this.statistics())?.filter(({ kind, queued }) => queued > 0 && !this.kinds.has(kind)) ?? [];
    return unknown.sort((one, other) => other.queued - one.queued).slice(0, MOST_UNKNOWN);
  }

  private statistics(): Promise<KindStatistics[] | undefined> {
    const at = performance.now();
    if (this.asked === undefined || at - this.asked.at >= KEPT_MS) this.asked = { at, statistics: this.store.statistics().catch(() => undefined) };
    return this.asked.statistics;
  }
}
