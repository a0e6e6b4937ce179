import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ByteRange } from '@twinyard/blobs';
import type { StoredContent } from './stored-content';

/** Several ranges of a content in one body (RFC 9110, 14.6). */
export class MultipartByteranges {
  private readonly boundary = randomUUID();
  private readonly end = `\r\n--${this.boundary}--\r\n`;

  constructor(private readonly content: StoredContent, private readonly ranges: readonly ByteRange[]) {}

  get contentType(): string {
    return `multipart/byteranges; boundary=${this.boundary}`;
  }

  get length(): number {
    const lengths = this.ranges.map((range, index) => Buffer.byteLength(this.head(range, index)) + range.last - range.first + 1);
    return lengths.reduce((sum, length) => sum + length, this.end.length);
  }

  /** `open` is asked for a range when the one before it is out; for the first at once, so that a content that is not there is told before any header. */
  async body(open: (range: ByteRange) => Promise<Readable>): Promise<Readable> {
    let current = await open(this.ranges[0] as ByteRange);
    const parts = async function* (this: MultipartByteranges) {
      for (const [index, range] of this.ranges.entries()) {
        yield Buffer.from(this.head(range, index));
        if (index > 0) current = await open(range);
        yield* current as AsyncIterable<Buffer>;
      }
      yield Buffer.from(this.end);
    };
    // A reader that goes away before the first part is asked for never enters the generator, which would close what is open.
    return Readable.from(parts.call(this)).once('close', () => current.destroy());
  }

  private head({ first, last }: ByteRange, index: number): string {
    const { contentType, size } = this.content;
    return `${index === 0 ? '' : '\r\n'}--${this.boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: bytes ${first}-${last}/${size}\r\n\r\n`;
  }
}
