import type { Tx } from '@twinyard/service-kit';

export const JOB_STATES = ['READY', 'WAITING', 'RUNNING', 'DEAD'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  /** JSON. */
  readonly payload: string;
  /** Missing: now. */
  readonly dueAt?: Date;
  /** Of the request that it follows from. */
  readonly requestId?: string;
}

/** A claim of a job. The token grows with every claim of the kind, also of a job whose key comes again, and every write under the lease names it: who has lost the lease writes nothing. */
export interface Hold {
  readonly id: string;
  readonly token: number;
}

export interface ClaimedJob extends Hold {
  readonly namespace: string;
  readonly payload: unknown;
  /** With this one. */
  readonly attempt: number;
  /** How long ago it was enqueued, by the store's clock. */
  readonly ageMs: number;
  /** How often in a row, before this attempt, its payload could not be read. */
  readonly unread: number;
  readonly requestId?: string;
}

export interface ClaimTerms {
  readonly kind: string;
  /** How many jobs the worker can take; 0 to end some only. */
  readonly slots: number;
  readonly leaseMs: number;
  readonly perNamespace: number;
  /** The namespace behind which to begin where several have as few: their turns go round. */
  readonly after: string;
}

export interface Claimed {
  /** In the order of their turns. */
  readonly jobs: readonly ClaimedJob[];
  /** More of the kind are due, also such that a transaction has in hand. */
  readonly isMore: boolean;
  /** When the next job falls due, or the next lease ends, that has not yet; missing: nobody knows of any. */
  readonly nextMs?: number;
  /** Ids of those that are done and could not be ended, since some transaction has them in hand: they are still held, and to be ended again. */
  readonly notEnded: readonly string[];
}

/** How a job goes back to the queue. */
export interface Requeue {
  readonly delayMs: number;
  /** The attempt in hand: `counted` stays so, `uncounted` is as if it had not been, `fresh` begins to count anew. */
  readonly attempts: 'counted' | 'uncounted' | 'fresh';
  /** JSON; missing: as it was. */
  readonly payload?: string;
  readonly cause?: string;
  /** How often in a row its payload could not be read; missing: it could. */
  readonly unread?: number;
}

export interface JobFilter {
  readonly kind?: string;
  readonly id?: string;
  readonly namespace?: string;
}

export interface DeadJob {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly attempts: number;
  readonly cause: string;
  readonly diedAt: Date;
}

/** One that is not over. */
export interface ListedJob {
  readonly id: string;
  readonly kind: string;
  readonly namespace: string;
  readonly state: 'WAITING' | 'READY' | 'RUNNING';
  /** With the one that runs. */
  readonly attempts: number;
  readonly dueAt: Date;
  /** Why the last attempt failed. */
  readonly cause: string | null;
  readonly requestId: string | null;
}

/** Each counted up to `COUNTED`: whoever looks costs no more, however many there are. */
export interface KindStatistics {
  readonly kind: string;
  /** Due, and later. */
  readonly queued: number;
  readonly running: number;
  readonly dead: number;
  /** How long the job has waited that is due longest; with more than a thousand namespaces that wait, of those that come first. */
  readonly oldestMs: number;
}

export const COUNTED = 10_000;

/**
 * Jobs in the service's own database. A job is one record until it has ended, then it is gone; what died stays for the operator. Of a
 * job with a key there is one record at a time: who enqueues it again while it waits changes it, and while it runs has it run once more.
 */
export abstract class JobStore {
  /** In the transaction of the change that the work follows from. Its commit wakes the workers, where the database can tell them. `ifMissing`: nothing changes of those that wait or run. */
  abstract enqueue(tx: Tx, jobs: readonly NewJob[], options?: { readonly ifMissing: boolean }): Promise<void>;
  /** Ends the jobs that are done, makes ready what is due and what dead workers held, and takes the next: each from the namespace with the fewest running. */
  abstract claim(terms: ClaimTerms, ended: readonly Hold[]): Promise<Claimed>;
  /** Resolves with the ids of those that are lost. */
  abstract renew(holds: readonly Hold[], leaseMs: number): Promise<ReadonlySet<string>>;
  /** Keeps others from the job until the transaction ends, and renews the lease with it; false when it was lost. */
  abstract hold(tx: Tx, hold: Hold, leaseMs: number): Promise<boolean>;
  /** False when it was lost. */
  abstract finish(tx: Tx, hold: Hold): Promise<boolean>;
  /** False when it was lost. */
  abstract requeue(tx: Tx, hold: Hold, requeue: Requeue): Promise<boolean>;
  /** False when it was lost, or was enqueued again meanwhile. */
  abstract bury(tx: Tx, hold: Hold, cause: string): Promise<boolean>;
  /** In the place of `bury`: nothing of it stays. False when it was lost, or was enqueued again meanwhile. */
  abstract forget(tx: Tx, hold: Hold): Promise<boolean>;
  /** In how many ms there may be something to claim, by kind; kinds with nothing are missing. */
  abstract look(kinds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  abstract statistics(): Promise<KindStatistics[]>;
  /** For the operator: those that run first, then those that are due longest. It looks through all that match. */
  abstract list(filter: JobFilter, limit: number): Promise<ListedJob[]>;
  /** The latest first. */
  abstract dead(filter: JobFilter, limit: number): Promise<DeadJob[]>;
  /** Has dead jobs run again, with all their attempts; resolves with their number. */
  abstract replay(filter: JobFilter): Promise<number>;
  /** Removes dead jobs; resolves with their number. */
  abstract drop(filter: JobFilter): Promise<number>;
  /** Forgets some of those that died before, and of each kind some that died before the latest `most`; resolves with their number, 0 when there are none. */
  abstract prune(before: Date, most: number): Promise<number>;
  /** For a purge: removes about `limit` jobs of a namespace, running ones too, whose workers are refused; resolves with their number, 0 when there are none. */
  abstract purge(namespace: string, limit: number): Promise<number>;
}
