import type { FileHandle } from 'node:fs/promises';
import { translateScratchError } from '@twinyard/service-kit';
import type { SortShare } from './sort-space';

/** Where some bytes are. */
export interface Piece {
  readonly at: number;
  readonly length: number;
}

/** A file without a name, for as long as it is open. What it holds counts. */
export class ScratchFile {
  private end = 0;

  private constructor(private readonly handle: FileHandle, private readonly share: SortShare) {}

  /** Errors: `insufficient_storage`. */
  static async open(share: SortShare): Promise<ScratchFile> {
    return new ScratchFile(await share.file(), share);
  }

  /** Behind all others. Errors: those of `SortShare.take`, `insufficient_storage`. */
  async append(bytes: Buffer): Promise<Piece> {
    this.share.take(bytes.length);
    const piece = { at: this.end, length: bytes.length };
    this.end += bytes.length;
    // A disk that becomes full takes a part first.
    for (let written = 0; written < bytes.length;) written += await this.write(bytes.subarray(written), piece.at + written);
    return piece;
  }

  async read({ at, length }: Piece): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length;) {
      const { bytesRead } = await this.handle.read(bytes, read, length - read, at + read);
      if (bytesRead === 0) throw new Error('A file of sorted rows ends too early');
      read += bytesRead;
    }
    return bytes;
  }

  /** Gives all of it back; the next is written from its beginning. */
  async clear(): Promise<void> {
    await this.handle.truncate(0);
    this.giveAll();
  }

  /** Once. */
  async close(): Promise<void> {
    this.giveAll();
    await this.handle.close();
  }

  private async write(bytes: Buffer, at: number): Promise<number> {
    try {
      return (await this.handle.write(bytes, 0, bytes.length, at)).bytesWritten;
    } catch (error) {
      throw translateScratchError(error);
    }
  }

  private giveAll(): void {
    this.share.give(this.end);
    this.end = 0;
  }
}
