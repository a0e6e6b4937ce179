import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { ObjectMismatch, ObjectTooLarge } from './object-errors';
import type { ObjectDigest, PutExpectations } from './object-store';

/** Passes bytes on, counting and hashing them; fails as soon as they are too many, or at the end when they are not those expected. */
export class ObjectMeter extends Transform {
  private readonly hash = createHash('sha256');
  private size = 0;
  private sha256 = '';

  constructor(private readonly expected: PutExpectations = {}) {
    super();
  }

  /** Once the stream has ended. */
  get digest(): ObjectDigest {
    return { size: this.size, sha256: this.sha256 };
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += chunk.length;
    const { maxSize } = this.expected;
    if (maxSize !== undefined && this.size > maxSize) return done(new ObjectTooLarge(maxSize));
    this.hash.update(chunk);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    this.sha256 = this.hash.digest('hex');
    done(mismatchOf(this.digest, this.expected));
  }
}

/** As `ObjectMeter`, of bytes that are all here. */
export function digestOf(bytes: Buffer, expected: PutExpectations): ObjectDigest {
  const { maxSize } = expected;
  if (maxSize !== undefined && bytes.length > maxSize) throw new ObjectTooLarge(maxSize);
  const digest = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  const mismatch = mismatchOf(digest, expected);
  if (mismatch !== null) throw mismatch;
  return digest;
}

function mismatchOf(digest: ObjectDigest, { size, sha256 }: PutExpectations): Error | null {
  if (size !== undefined && size !== digest.size) return new ObjectMismatch('size', size, digest.size);
  if (sha256 !== undefined && sha256.toLowerCase() !== digest.sha256) return new ObjectMismatch('sha256', sha256, digest.sha256);
  return null;
}
