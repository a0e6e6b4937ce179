import type { LogLine } from '../../components/step-context';
import type { HeldRun } from '../held-runs.repository';

/** A run that a worker has in hand. */
export interface BegunRun extends HeldRun {
  readonly isCancelled: boolean;
  /** Nobody has had it in hand before. */
  readonly isFirst: boolean;
}

/** What is written down with the start of the first step. */
export interface Beginning {
  readonly lines: readonly LogLine[];
  /** Of PreparedSteps, where nobody has kept them yet. */
  readonly keep?: string | undefined;
}
