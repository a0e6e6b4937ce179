import { conflict } from '@twinyard/conventions';
import type { Tx } from '../tx';

/** What became of a claim: it is the claimer's, or somebody else's who has not answered yet, or answered long since. */
export type AnswerClaim =
  | { readonly state: 'mine' }
  | { readonly state: 'running'; readonly fingerprint: string }
  | { readonly state: 'answered'; readonly fingerprint: string; readonly sealed: Buffer };

/** The claim whose lease ran out while its work was done is somebody else's by now, who does that work: it must not be done twice. */
export const claimLost = () => conflict('Another request with this Idempotency-Key does this meanwhile');

export interface NewClaim {
  readonly id: string;
  readonly owner: string;
  /** Of what was asked. */
  readonly fingerprint: string;
  /** Who claims is silent for longer than this when it has died; then the next one has it. */
  readonly leaseMs: number;
  /** What was claimed before counts no more. */
  readonly since: Date;
}

/**
 * Where answers to requests that may come again are kept. Two adapters, one suite (`describeAnswerStore`). Each step may be done twice, so that one
 * whose connection is lost is done again by the store itself.
 */
export abstract class AnswerStore {
  /** The same claim again, by the same owner, is still its own. */
  abstract claim(claim: NewClaim): Promise<AnswerClaim>;
  abstract renew(id: string, owner: string, leaseMs: number): Promise<void>;
  /** Passed over when the claim is somebody else's meanwhile. */
  abstract keep(id: string, owner: string, sealed: Buffer): Promise<void>;
  /** In a transaction of the same database, with what the answer tells of: both or neither. Whoever ends the transaction hears `claimLost` where the claim is somebody else's meanwhile. */
  abstract keepIn(tx: Tx, id: string, owner: string, sealed: Buffer): Promise<void>;
  /** The next one may have it. */
  abstract release(id: string, owner: string): Promise<void>;
  abstract prune(before: Date): Promise<void>;
}
