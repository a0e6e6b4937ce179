/**
 * How far an object has come that is received in pieces: plain JSON, which whoever receives it keeps. Only `offset` means something
 * to others than the store.
 */
export interface PartialObject {
  /** Bytes that the store holds for good; what came after them is not known of any more. */
  readonly offset: number;
  readonly [detail: string]: unknown;
}

/** Nothing is there yet. */
export const NOTHING_RECEIVED: PartialObject = { offset: 0 };

/** What the store is told of an object whose bytes come in pieces. */
export interface PartialTarget {
  readonly key: string;
  /** Bytes of the whole object. */
  readonly size: number;
}
