import type { Tx } from '@twinyard/service-kit';

/** A namespace that is to be emptied, and who asked for it. */
export interface PurgeRequest {
  readonly namespace: string;
  readonly askedById: string;
  readonly requestId: string;
}

/** Which namespaces a service had, or has, to empty, in its own database. One that was ever purged stays listed: its name never comes again. The work itself is a job (`PurgeWorker`). */
export abstract class PurgeStore<T extends Tx = Tx> {
  /** Lists the namespace as unfinished, also one that was finished. */
  abstract ask(tx: T, request: PurgeRequest): Promise<void>;
  /** False where it was finished before, or was asked for anew by another request. */
  abstract finish(tx: T, request: PurgeRequest, removed: number): Promise<boolean>;
  /** Those of these that were ever asked to be purged: what comes late about them says nothing any more. */
  abstract purgedOf(tx: T, namespaces: readonly string[]): Promise<string[]>;
  /** By namespace, behind `after`. */
  abstract unfinishedAfter(tx: T, after: string, limit: number): Promise<PurgeRequest[]>;
  abstract unfinished(tx: T): Promise<number>;
}
