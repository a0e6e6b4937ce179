import { Transform, type TransformCallback } from 'node:stream';

/** Passes bytes on and keeps the first of them. */
export class FirstBytes extends Transform {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly wanted: number) {
    super();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.length < this.wanted) {
      // A copy: the chunk is part of a larger piece of memory that would be held with it.
      const first = Buffer.from(chunk.subarray(0, this.wanted - this.length));
      this.chunks.push(first);
      this.length += first.length;
    }
    done(null, chunk);
  }
}
