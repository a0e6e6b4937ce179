import { Readable } from 'node:stream';
import type { PartialObject, PartialTarget } from './partial-object';

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
  /** `private, no-cache` by default. */
  readonly cacheControl?: string;
}

/** Large values under keys. Bytes are streamed both ways: memory does not grow with the object. */
export abstract class ObjectStore {
  /**
   * Stores all of `body` or nothing: until this resolves, the key shows what it showed before. Replaces an object that is there.
   * Rejects with `ObjectTooLarge`, `ObjectMismatch`, or with what broke `body`.
   */
  abstract put(key: string, body: Readable, expected?: PutExpectations): Promise<ObjectDigest>;
  /** `put` of bytes that are all here. */
  putBytes(key: string, bytes: Buffer, expected?: PutExpectations): Promise<ObjectDigest> {
    return this.put(key, Readable.from([bytes]), expected);
  }
  /**
   * Takes on an object that comes in pieces: `body` follows the bytes of `from`, of which nothing else may be going on. Tells each time
   * when so much is stored for good that it is worth writing down, and at the end of `body`. A `body` that breaks tells of the bytes that
   * came before, and then rejects with what broke it. The bytes are no object before `complete`. May be begun again from any
   * state that it told or was begun from: what came after is dropped. To begin from a state says that it is written down.
   */
  abstract append(target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncIterable<PartialObject>;
  /** Makes the object of all its bytes, for which nothing else checks them. May be done again, also when the first time was cut off. */
  abstract complete(target: PartialTarget, received: PartialObject): Promise<void>;
  /** Removes what was received of an object that is not completed. */
  abstract abandon(target: PartialTarget, received: PartialObject): Promise<void>;
  /** The object's bytes, or a range of them. Rejects with `ObjectNotFound` before any byte is read. */
  abstract get(key: string, range?: ByteRange): Promise<Readable>;
  abstract stat(key: string): Promise<ObjectStat | undefined>;
  /** Afterwards there is no such object, whether or not there was one. */
  abstract delete(key: string): Promise<void>;
  /** Every object whose key starts with `prefix`, in no order; for comparing the store with what should be in it. */
  abstract list(prefix?: string): AsyncIterable<ObjectStat>;
  /** Removes what puts and appends left behind that were cut off (by a crash) and last moved before `before`. The number removed. */
  abstract sweep(before: Date): Promise<number>;
  /**
   * An address by which anybody reads the object (GET, with ranges) straight from the store, for `ttlSeconds`; nothing, when the
   * store speaks no HTTP. Whether there is such an object is not looked at.
   */
  abstract presignedGet(key: string, answer: PresignedAnswer, ttlSeconds: number): Promise<URL | undefined>;
  /** Rejects while the store cannot be written to. */
  abstract check(): Promise<void>;
}
