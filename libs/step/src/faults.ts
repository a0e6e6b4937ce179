import { CARRIAGE_RETURN, LINE_FEED } from './tokens/bytes';

/**
 * What can be wrong with a part of a file:
 * - `unreadable`: an entity that is no entity (brackets, commas, an open text); it is left out.
 * - `twice`: an entity under a number that another has already; it is left out.
 * - `value`: no token of the norm, or a number that is none; read as no value.
 * - `mended`: written otherwise than the norm has it, and clear all the same (`.5`, a missing semicolon, a lone apostrophe).
 * - `integer`: above 2^53, where a double skips numbers; kept as a text.
 * - `dangling`: refers to an entity that the file does not have.
 * - `encoding`: bytes that are not UTF-8, read as Windows-1252.
 */
export type FaultKind = 'unreadable' | 'twice' | 'value' | 'mended' | 'integer' | 'dangling' | 'encoding';

/** Where a fault is: `#12=IFCWALL`, or what stands in the place of an entity; lines count from 1. */
export interface FaultPlace {
  readonly entity: string;
  readonly line: number;
}

export interface Faults {
  readonly count: number;
  /** The first of them. */
  readonly places: readonly FaultPlace[];
}

/** Faults of one kind that have a place. */
export const MAX_PLACES = 10;

/** Faults by kind: all are counted, the first ten have a place. */
export class FaultList {
  private readonly found = new Map<FaultKind, { count: number; readonly places: FaultPlace[] }>();

  add(kind: FaultKind, place: () => FaultPlace): void {
    const faults = this.found.get(kind) ?? { count: 0, places: [] };
    this.found.set(kind, faults);
    faults.count += 1;
    if (faults.places.length < MAX_PLACES) faults.places.push(place());
  }

  all(): ReadonlyMap<FaultKind, Faults> {
    return this.found;
  }
}

/** Lines of a file, for positions that mostly ascend. Any line end counts: LF, CR, or both together. */
export class LineNumbers {
  private at = 0;
  private line = 1;

  constructor(private readonly file: Uint8Array) {}

  of(position: number): number {
    if (position < this.at) [this.at, this.line] = [0, 1];
    for (; this.at < position; this.at++) {
      const byte = this.file[this.at];
      if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && this.file[this.at + 1] !== LINE_FEED)) this.line += 1;
    }
    return this.line;
  }
}
