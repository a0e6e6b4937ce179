import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Tx, UnitOfWork } from '@twinyard/service-kit';
import { z } from 'zod';
import type { HeldJob } from './held-job';
import { job, type JobDefinition } from './job';
import { JobRunner } from './job-runner';
import { Jobs } from './jobs';

export interface Interval {
  /** From the end of one run to the begin of the next. */
  readonly everyMs: number;
  /** The first at the start of each process, not after `everyMs`. */
  readonly atStart?: boolean;
}

/**
 * Does what is to be done; told to stop by the signal. `hold`: for transactions that write what a second run, of whoever has taken this one over, would write again.
 * What looks in the same transaction whether there is still something to do needs none.
 */
export type Work = (signal: AbortSignal, hold: HoldRun) => Promise<unknown>;

/** Keeps the run from other processes until the transaction ends. @throws LeaseLost when another has taken it over */
export type HoldRun = (tx: Tx) => Promise<void>;

const nothing = z.object({});
type Nothing = z.infer<typeof nothing>;

interface Begin {
  readonly definition: JobDefinition<Nothing>;
  readonly afterMs: number;
}

/** One for all replicas. */
const KEY = 'schedule';
const LONGEST_MS = 3_600_000;
const FIRST_RETRY_MS = 1_000;
/** What fails is tried again for good: nobody would begin it anew. */
const NO_END = 1_000_000_000;

/** Work that is done again and again, by one of all replicas: a job that is its own successor. */
@Injectable()
export class Schedules implements OnApplicationBootstrap {
  private readonly begins: Begin[] = [];
  private readonly hastened = new Set<string>();
  private writing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly jobs: Jobs,
    private readonly runner: JobRunner,
    private readonly unitOfWork: UnitOfWork<Tx>,
  ) {}

  /** Before the application listens, as `JobRunner.handle`. `kind`: as of any job. */
  every(kind: string, { everyMs, atStart = false }: Interval, work: Work): void {
    const retry = { attempts: NO_END, firstMs: Math.min(FIRST_RETRY_MS, everyMs), longestMs: everyMs };
    const definition = job(kind, { schema: nothing, leaseMs: 10_000, longestMs: LONGEST_MS, retry, concurrency: 1 });
    this.runner.handle(definition, { run: (held) => this.turn(held, everyMs, work) });
    this.begins.push({ definition, afterMs: atStart ? 0 : everyMs });
  }

  /** Has the next run begin now; one that is under way is followed by another. Nobody waits for it: where it cannot be written the run comes in its time. */
  soon(kind: string): void {
    const begin = this.begins.find(({ definition }) => definition.kind === kind);
    if (begin === undefined) throw new Error(`Nothing is done again and again by the name of ${kind}`);
    if (this.hastened.has(kind)) return;
    this.hastened.add(kind);
    this.writing = this.writing.then(() => {
      this.hastened.delete(kind);
      return this.unitOfWork.run((tx) => this.order(tx, begin, new Date()));
    }).catch(() => undefined);
  }

  /** Each start of a process sees to it that there is a next run, no later than it would have it. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.begins.length === 0) return;
    const now = Date.now();
    await this.unitOfWork.run(async (tx) => {
      for (const begin of this.begins) await this.order(tx, begin, new Date(now + begin.afterMs));
    });
  }

  private order(tx: Tx, { definition }: Begin, dueAt: Date): Promise<string> {
    return this.jobs.enqueue(tx, definition, {}, { namespace: '', key: KEY, dueAt });
  }

  private async turn(held: HeldJob<Nothing>, everyMs: number, work: Work): Promise<void> {
    await work(held.signal, (tx) => held.hold(tx));
    await this.unitOfWork.run((tx) => held.continueWith(tx, {}, everyMs));
  }
}
