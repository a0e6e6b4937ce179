import type { Tx } from '@twinyard/service-kit';

/** A namespace that is to be emptied, and who asked for it. */
export interface PurgeRequest {
  readonly namespace: string;
  readonly askedById: string;
  readonly requestId: string;
}

/**
 * FIRST removes what there is. A write that was allowed before the namespace was closed may commit after that; LAST comes when no such
 * write can be under way any more.
 */
export type PurgePass = 'FIRST' | 'LAST';

export interface PurgeJob extends PurgeRequest {
  readonly pass: PurgePass;
  /** Records removed so far. */
  readonly removed: number;
}

export interface PurgeLease {
  /** Names the worker; a lease that ran out may be taken by another. */
  readonly owner: string;
  readonly leaseMs: number;
}

/** Which namespaces a service has to empty, in its own database. A namespace that was ever purged stays listed: its name never comes again. */
export abstract class PurgeStore<T extends Tx = Tx> {
  /** Writes the job down, or has one that has ended begin anew. */
  abstract ask(tx: T, request: PurgeRequest): Promise<void>;
  /** Takes the job that is due longest and that nobody holds. */
  abstract claim(tx: T, lease: PurgeLease): Promise<PurgeJob | undefined>;
  /** Keeps the job and notes how much was removed; false when another worker has it by now. */
  abstract hold(tx: T, lease: PurgeLease, job: PurgeJob): Promise<boolean>;
  /** Gives the job back, to be gone on with after `delayMs` as `job` says. */
  abstract release(tx: T, owner: string, job: PurgeJob, delayMs: number): Promise<void>;
  /** False when another worker has the job by now. */
  abstract finish(tx: T, owner: string, job: PurgeJob): Promise<boolean>;
  /** Those of these that were ever asked to be purged: what comes late about them says nothing any more. */
  abstract purgedOf(tx: T, namespaces: readonly string[]): Promise<string[]>;
  abstract unfinished(tx: T): Promise<number>;
}
