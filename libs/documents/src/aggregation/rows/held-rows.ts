import { limitExceeded } from '@twinyard/conventions';
import { LEAST_SORT_PART, MAX_HELD_BYTES } from '../bounds';

const OBJECT_BYTES = 32;
export const VALUE_BYTES = 8;

/** About what a value takes in memory. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return OBJECT_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = OBJECT_BYTES;
  for (const inner of Object.values(value)) bytes += VALUE_BYTES + bytesOf(inner);
  return bytes;
}

/** Counts what the stages of one pipeline keep until they have seen all of their rows. */
export class HeldRows {
  private bytes = 0;

  constructor(private readonly most = MAX_HELD_BYTES) {}

  /** `own`: what a sort holds, which can go on on disk. */
  hasRoom(bytes: number, own = Number.POSITIVE_INFINITY): boolean {
    return this.bytes + bytes <= this.most || own + bytes <= this.most * LEAST_SORT_PART;
  }

  /** Errors: `limit_exceeded`. */
  take(bytes: number, own?: number): void {
    if (!this.hasRoom(bytes, own)) throw limitExceeded(`The pipeline needs more than ${this.most} bytes at once; narrow its first $match, make fewer groups, or put $limit behind $sort`);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.bytes -= bytes;
  }
}

/** What one group holds, to be given back at once. */
export class Holding {
  private bytes = 0;

  constructor(private readonly held: HeldRows) {}

  /** Errors: `limit_exceeded`. */
  take(bytes: number): void {
    this.bytes += bytes;
    this.held.take(bytes);
  }

  giveAll(): void {
    this.held.give(this.bytes);
    this.bytes = 0;
  }
}

/** Rows that were kept, in their order. Those that have gone on are held no more. */
export function* givenOn<T extends { readonly bytes: number }>(kept: T[], held: HeldRows): Generator<T, void> {
  kept.reverse();
  for (let next = kept.pop(); next !== undefined; next = kept.pop()) {
    held.give(next.bytes);
    yield next;
  }
}
