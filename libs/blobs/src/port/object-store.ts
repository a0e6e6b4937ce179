import type { Readable } from 'node:stream';

export interface ObjectDigest {
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** What a put is checked against while it streams. */
export interface PutExpectations {
  readonly size?: number;
  /** Hex, in any letter case. */
  readonly sha256?: string;
  /** More bytes than this: `ObjectTooLarge`. */
  readonly maxSize?: number;
}

/** Both ends are part of the range, as in HTTP; `last` is below the object's size. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface ObjectStat {
  readonly key: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** How the store itself is to describe an object's bytes to whoever asks it for them. */
export interface PresignedAnswer {
  readonly contentType: string;
  readonly contentEncoding?: string;
  /** The whole header: type and file name. */
  readonly contentDisposition: string;
}

/** Large values under keys. Bytes are streamed both ways: memory does not grow with the object. */
export abstract class ObjectStore {
  /**
   * Stores all of `body` or nothing: until this resolves, the key shows what it showed before. Replaces an object that is there.
   * Rejects with `ObjectTooLarge`, `ObjectMismatch`, or with what broke `body`.
   */
  abstract put(key: string, body: Readable, expected?: PutExpectations): Promise<ObjectDigest>;
  /** The object's bytes, or a range of them. Rejects with `ObjectNotFound` before any byte is read. */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;
  abstract stat(key: string): Promise<ObjectStat | undefined>;
  /** Afterwards there is no such object, whether or not there was one. */
  abstract delete(key: string): Promise<void>;
  /** Every object whose key starts with `prefix`, in no order; for comparing the store with what should be in it. */
  abstract list(prefix?: string): AsyncIterable<ObjectStat>;
  /** Removes what puts left behind that were cut off (by a crash) and last moved before `before`. The number removed. */
  abstract sweep(before: Date): Promise<number>;
  /**
   * An address by which anybody reads the object (GET, with ranges) straight from the store, for `ttlSeconds`; nothing, when the
   * store speaks no HTTP. Whether there is such an object is not looked at.
   */
  abstract presignedGet(key: string, answer: PresignedAnswer, ttlSeconds: number): Promise<URL | undefined>;
  /** Rejects while the store cannot be written to. */
  abstract check(): Promise<void>;
}
