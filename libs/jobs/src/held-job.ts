import type { Tx } from '@twinyard/service-kit';

/** A job in the hands of a handler, under a lease. */
export interface HeldJob<P, T extends Tx = Tx> {
  readonly id: string;
  readonly namespace: string;
  readonly payload: P;
  /** With this one. */
  readonly attempt: number;
  /** How long ago it was enqueued when this attempt was given out, by the store's clock. */
  readonly ageMs: number;
  /** Of the request that it follows from, where that is known. */
  readonly requestId: string | undefined;
  /** Aborted with a `JobStopped` when the lease is lost, the attempt has taken too long or the process ends. Who does not listen is soon left to itself, and its writes are refused. */
  readonly signal: AbortSignal;
  /**
   * Ends the job in the transaction of its work, so that both are committed or neither. A handler that has no such transaction just returns.
   * @throws LeaseLost when another worker has the job by now
   */
  finish(tx: T): Promise<void>;
  /**
   * For what is written before the end: the transaction holds the job until it ends, so nobody takes it over in between. A long one holds it late,
   * since nobody renews the lease meanwhile.
   * @throws LeaseLost
   */
  hold(tx: T): Promise<void>;
  /**
   * Ends this step and orders the next one of the same job, in one transaction.
   * @throws LeaseLost
   */
  continueWith(tx: T, payload: P, delayMs: number): Promise<void>;
}

export interface JobHandler<P, T extends Tx = Tx> {
  run(job: HeldJob<P, T>): Promise<void>;
  /** In the transaction that gives the job up. Where it fails the job is given up without it. */
  died?(tx: T, job: DyingJob<P>, cause: string): Promise<void>;
}

export type DyingJob<P> = Pick<HeldJob<P>, 'id' | 'namespace' | 'payload' | 'attempt'>;

/** Thrown by a handler: no further attempt would do better. */
export class GiveUp extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GiveUp';
  }
}

/** Thrown by a handler that cannot do the job now, and knows when to ask again. With a cause something has failed; without one the job only waits. */
export class TryLater extends Error {
  constructor(
    readonly delayMs: number,
    /** Whether it counts as an attempt: not when only an outage was to blame. */
    readonly counts: boolean,
    options?: ErrorOptions,
  ) {
    super(options?.cause instanceof Error ? options.cause.message : 'not now', options);
    this.name = 'TryLater';
  }
}

export class LeaseLost extends Error {
  constructor(readonly jobId: string) {
    super(`The job ${jobId} is held by another worker, or is gone`);
    this.name = 'LeaseLost';
  }
}

/** `late`: the attempt has taken longer than its kind may. */
export type StopReason = 'lost' | 'late' | 'shutdown';

/** Why the signal of a job was aborted. */
export class JobStopped extends Error {
  constructor(readonly reason: StopReason) {
    super(`The job was stopped: ${reason}`);
    this.name = 'JobStopped';
  }
}
