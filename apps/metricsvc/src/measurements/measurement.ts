import type { Contribution } from './contribution';

/** What a measured thing said last, and the number of the event that said it. */
export interface Measurement {
  readonly subject: string;
  readonly owner: string;
  readonly sequence: number;
  /** Where it was said to lie, without those that are purged. */
  readonly namespaces: readonly string[];
  readonly contributions: readonly Contribution[];
}

/** What a thing says after some events, and the hours of the first and the last that changed it. */
export interface Restated extends Measurement {
  readonly firstHour: Date;
  readonly lastHour: Date;
}
