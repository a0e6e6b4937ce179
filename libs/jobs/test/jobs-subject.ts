import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { createLogger, MetricsRegistry } from '@twinyard/service-kit';
import { z } from 'zod';
import { type ClaimTerms, type Hold, job, type JobHandler, type JobNotices, JobRunner, Jobs, JobsMetrics, type JobsOptions, type JobStore, type JobTerms } from '../src';

/** A store in the database of a service, whose work is a note. */
export interface JobsSubject {
  readonly store: JobStore;
  readonly unitOfWork: UnitOfWork<Tx>;
  /** By which another process finds it (`job-process.ts`). */
  readonly address: readonly string[];
  /** As another process would have. */
  notices(): JobNotices;
  note(tx: Tx, text: string): Promise<void>;
  /** What is committed, in order. */
  notes(): Promise<string[]>;
  /** All leases have run out, as if their workers had fallen silent. */
  endLeases(): Promise<void>;
  /** A day goes by for all that waits for its time. */
  makeDue(): Promise<void>;
  /** From now on claims come to `halt` when they have written some of what they write, and nothing is committed that holds a job. */
  haltClaims(halt: () => Promise<void>): void;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** In the place of a step of `job-process.ts`: it halts nowhere, and does `CROWDED`. */
export const NEVER = 'never';

export const NOTE = job('test.note', {
  schema: z.object({ text: z.string() }),
  leaseMs: 10_000,
  longestMs: 3_600_000,
  retry: { attempts: 3, firstMs: 1, longestMs: 2 },
  concurrency: 2,
});

/** Of which many are in hand whenever a worker is killed, and that outlive as many as a drill kills. */
export const CROWDED = job('test.crowded', { ...NOTE, retry: { ...NOTE.retry, attempts: 100 }, concurrency: 32 });

export const OTHER = job('test.other', { ...NOTE, schema: z.object({ n: z.number() }) });

export const OPTIONS: JobsOptions = { perNamespace: 100, keepDeadDays: 14 };
export const LOGGER = createLogger('test', 'silent');

export interface ProcessParts {
  readonly store?: JobStore;
  readonly options?: Partial<JobsOptions>;
}

/** One process of a service with handlers for notes. */
export class JobProcess {
  private readonly metrics = new MetricsRegistry();
  readonly notices: JobNotices;
  readonly jobs: Jobs;
  readonly runner: JobRunner;

  constructor(private readonly subject: JobsSubject, { store = subject.store, options = {} }: ProcessParts = {}) {
    this.notices = subject.notices();
    this.jobs = new Jobs(store, this.notices);
    this.runner = new JobRunner(store, this.notices, subject.unitOfWork, new JobsMetrics(this.metrics, store), { ...OPTIONS, ...options }, LOGGER);
  }

  start(handler: JobHandler<{ text: string }>, terms: Partial<JobTerms> = {}, kind = NOTE): this {
    this.runner.handle(kind, handler, terms);
    this.runner.onApplicationBootstrap();
    return this;
  }

  /** As `/metrics` shows them. */
  figures(): Promise<string> {
    return this.metrics.registry.metrics();
  }

  stop(): Promise<void> {
    return this.runner.beforeApplicationShutdown();
  }

  enqueue(text: string, namespace = 'ns_a', rest: { dueAt?: Date; key?: string; requestId?: string } = {}): Promise<string> {
    return this.subject.unitOfWork.run((tx) => this.jobs.enqueue(tx, NOTE, { text }, { namespace, ...rest }));
  }
}

export const terms = (slots: number, rest: Partial<ClaimTerms> = {}): ClaimTerms => ({ kind: NOTE.kind, slots, leaseMs: 60_000, perNamespace: 100, after: '', ...rest });

export const holdOf = ({ id, token }: Hold): Hold => ({ id, token });
