import type { Tx } from '../tx';
import type { DurableProgress, DurableRequest, DurableResponse, DurableState, NewDurableRequest } from './durable-request';

/** A worker's hold on requests; when it runs out another worker may take them. */
export interface DurableLease {
  readonly owner: string;
  readonly leaseMs: number;
}

/** The final answer, and how far the work had got. */
export interface DurableEnd extends DurableResponse {
  readonly progress?: DurableProgress | undefined;
}

export abstract class DurableRequestStore {
  abstract add(id: string, request: NewDurableRequest): Promise<void>;
  abstract find(id: string): Promise<DurableState | undefined>;
  /** The oldest request of these kinds that nobody works on, now leased; counts the attempt. Of those that are `atHand` the payload is not read. */
  abstract claim(lease: DurableLease, kinds: readonly string[], atHand?: readonly string[]): Promise<DurableRequest | undefined>;
  abstract renew(lease: DurableLease, id: string): Promise<void>;
  /** For whoever asks meanwhile; nothing without the lease. Outside of the work's transaction, which may never be committed. */
  abstract report(lease: DurableLease, id: string, progress: DurableProgress): Promise<void>;
  /** False when the lease was lost. */
  abstract finish(tx: Tx, owner: string, id: string, end: DurableEnd): Promise<boolean>;
  /** The same in a transaction of its own, for work that was rolled back. */
  abstract fail(owner: string, id: string, end: DurableEnd): Promise<void>;
  /** Back to the queue: the work could not be done right now. `countsAsAttempt`: false when only an outage was to blame. */
  abstract release(owner: string, id: string, countsAsAttempt: boolean): Promise<void>;
  /** Forgets what ended before `before`. */
  abstract prune(before: Date): Promise<void>;
}
