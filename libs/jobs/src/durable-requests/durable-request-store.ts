import type { Tx } from '@twinyard/service-kit';
import type { DurableProgress, DurableResponse, DurableState, KeptRequest, NewDurableRequest } from './durable-request';

/** The final answer, and how far the work had got. */
export interface DurableEnd extends DurableResponse {
  readonly progress?: DurableProgress | undefined;
}

/** What is asked and what is answered. When, by whom and how often it is tried is its job's business. */
export abstract class DurableRequestStore {
  /** `beside`: what is written in the same transaction. */
  abstract add(id: string, request: NewDurableRequest, beside: (tx: Tx) => Promise<unknown>): Promise<void>;
  abstract find(id: string): Promise<DurableState | undefined>;
  /** For whoever holds its job. Undefined when it has ended, or is gone. When it is `atHand` its payload is not read. */
  abstract begin(id: string, isAtHand: boolean): Promise<KeptRequest | undefined>;
  /** For whoever asks meanwhile. Outside of the work's transaction, which may never be committed. */
  abstract report(id: string, progress: DurableProgress): Promise<void>;
  /** False when it has ended, or is gone. */
  abstract finish(tx: Tx, id: string, end: DurableEnd): Promise<boolean>;
  /** Nobody works on it any more, for now. */
  abstract putBack(tx: Tx, id: string): Promise<void>;
  /** Takes over some that a replica of the release before has accepted and does not work on; resolves with their ids. */
  abstract adopt(tx: Tx, limit: number): Promise<string[]>;
  /** Forgets what ended before `before`. */
  abstract prune(before: Date): Promise<void>;
}

/** Of the kind of a request that has a job: a replica of the release before, which would work on it without, does not know the kind. */
export const WITH_JOB = ' (job)';
