import { causeOf, type Tx } from '@twinyard/service-kit';
import { GiveUp, type HeldJob, type JobHandler, TryLater } from '../held-job';
import type { JobDefinition } from '../job';
import type { ClaimedJob, Requeue } from '../store/job-store';
import { backoffMs } from './backoff';
import type { Lease } from './lease-keeper';
import { LeasedJob } from './leased-job';
import type { RunnerParts } from './runner-parts';
import { untilStopped, within } from './within';

/**
 * A payload that this version cannot read may be one that another version, which runs beside it, can: it is read three times at least, a minute apart,
 * and until it is three minutes old. These readings are no attempts: some kinds have attempts without end.
 */
const READINGS = 3;
const UNREADABLE_MS = 60_000;
const UNREADABLE_FOR_MS = 180_000;

/** Nothing has failed. */
const isWait = (error: unknown) => error instanceof TryLater && error.cause === undefined;

/** `done`: nothing is written of it yet. `settled`: what became of it is in the store, or is another worker's business. */
export type AttemptEnd = 'done' | 'settled';

/** One attempt at a job, and what becomes of the job after it. */
export class JobAttempt<P> {
  private payload: P | undefined;
  /** In a row, with this one. */
  private unread = 0;

  constructor(
    private readonly job: ClaimedJob,
    private readonly lease: Lease,
    private readonly definition: JobDefinition<P>,
    private readonly handler: JobHandler<P>,
    private readonly parts: RunnerParts,
  ) {}

  async run(): Promise<AttemptEnd> {
    const late = setTimeout(() => this.lease.stop('late'), this.definition.longestMs);
    try {
      return await this.perform();
    } catch (error) {
      // What a handler that was left to itself has locked is waited for as long as its lease would last.
      await within(this.lease.leaseMs, this.afterFailure(error)).catch((fault: unknown) => {
        this.parts.logger.warn({ err: fault, ...this.names }, 'what became of a job cannot be written down: it is taken over when its lease ends');
      });
      return 'settled';
    } finally {
      clearTimeout(late);
    }
  }

  private async perform(): Promise<AttemptEnd> {
    const { kind, schema, retry } = this.definition;
    const { store, metrics } = this.parts;
    const parsed = schema.safeParse(this.job.payload);
    if (!parsed.success) throw this.unreadable(parsed.error);
    this.payload = parsed.data;
    // Counted when it is taken: this one took its workers down with it.
    if (this.job.attempt > retry.attempts) throw new GiveUp(`Begun ${retry.attempts} times, and never ended: its workers fell silent`);
    // The claim took longer than its lease: another may be at it by now.
    this.lease.signal.throwIfAborted();
    await this.work(new LeasedJob(this.job, parsed.data, { lease: this.lease, store, schema }));
    // By the handler, in a transaction of its own, or else with the next claim.
    const end = this.lease.isSettled ? 'settled' : 'done';
    this.lease.settle();
    metrics.finished(kind);
    return end;
  }

  private async work(held: HeldJob<P>): Promise<void> {
    const { graceMs, metrics } = this.parts;
    const begunAt = performance.now();
    try {
      await untilStopped(this.handler.run(held), this.lease.signal, graceMs);
    } finally {
      metrics.worked(this.definition.kind, performance.now() - begunAt);
    }
  }

  private unreadable(cause: Error): Error {
    this.unread = this.job.unread + 1;
    if (this.unread < READINGS || this.job.ageMs < UNREADABLE_FOR_MS) return new TryLater(UNREADABLE_MS, false, { cause });
    return new GiveUp('The payload is not what the kind of job asks for', { cause });
  }

  private afterFailure(error: unknown): Promise<void> {
    const { kind, longestMs } = this.definition;
    this.lease.settle();
    // As if it had never been begun.
    if (this.lease.stopped === 'shutdown') return this.requeue({ delayMs: 0, attempts: 'uncounted' });
    if (isWait(error) && this.lease.stopped === undefined) return this.goOn(error, causeOf(error));
    const failure = this.lease.stopped === 'late' ? new Error(`It took longer than ${longestMs} ms`, { cause: error }) : error;
    this.parts.metrics.failed(kind);
    this.parts.logger.warn({ err: failure, ...this.names }, 'a job failed');
    return this.goOn(error, causeOf(failure));
  }

  private goOn(error: unknown, cause: string): Promise<void> {
    const { retry } = this.definition;
    const wish = error instanceof TryLater ? error : undefined;
    // Who was stopped has had its time, whatever it says; or it would be begun without end.
    if (wish !== undefined && !wish.counts && this.lease.stopped === undefined) return this.requeue({ delayMs: wish.delayMs, attempts: 'uncounted', cause });
    if (error instanceof GiveUp || this.job.attempt >= retry.attempts) return this.giveUp(cause);
    return this.requeue({ delayMs: wish?.delayMs ?? backoffMs(retry, this.job.attempt), attempts: 'counted', cause });
  }

  private async requeue(requeue: Requeue): Promise<void> {
    const isHeld = await this.parts.unitOfWork.run((tx) => this.parts.store.requeue(tx, this.lease, { ...requeue, unread: this.unread }));
    if (!isHeld) this.parts.logger.warn(this.names, 'a job was lost to another worker, or is gone');
  }

  private async giveUp(cause: string): Promise<void> {
    const hasDied = await this.parts.unitOfWork.run((tx) => this.buryAndTell(tx, cause)).catch((fault: unknown) => {
      this.parts.logger.error({ err: fault, ...this.names }, 'what follows from the end of a job failed: it is given up without');
      return this.parts.unitOfWork.run((tx) => this.bury(tx, cause));
    });
    if (hasDied) this.parts.logger.error(this.names, 'a job was given up');
  }

  private async buryAndTell(tx: Tx, cause: string): Promise<boolean> {
    const hasDied = await this.bury(tx, cause);
    const { id, namespace, attempt } = this.job;
    if (hasDied && this.payload !== undefined) await this.handler.died?.(tx, { id, namespace, attempt, payload: this.payload }, cause);
    return hasDied;
  }

  private bury(tx: Tx, cause: string): Promise<boolean> {
    return this.definition.dead === 'forget' ? this.parts.store.forget(tx, this.lease) : this.parts.store.bury(tx, this.lease, cause);
  }

  private get names(): object {
    return { kind: this.definition.kind, jobId: this.job.id, attempt: this.job.attempt, requestId: this.job.requestId };
  }
}
