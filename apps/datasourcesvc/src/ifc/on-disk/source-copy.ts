import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { unavailable } from '@twinyard/conventions';
import { translateScratchError } from '@twinyard/service-kit';

/** A file of which it is known what it is. */
export interface IfcSource {
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  bytes(): AsyncIterable<Uint8Array>;
}

/** Writes the file to the disk and makes sure that it came as it is. Errors: `insufficient_storage`; `unavailable` where other bytes came. */
export async function copySource(source: IfcSource, to: FileHandle, progress: (done: number) => Promise<void>): Promise<void> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const chunk of source.bytes()) {
    hash.update(chunk);
    await writeAll(to, chunk, done);
    done += chunk.byteLength;
    await progress(done);
  }
  if (done !== source.size || hash.digest('hex') !== source.sha256) throw unavailable('The IFC file did not come as it is: its bytes have another checksum');
}

/** A disk that becomes full takes a part first. */
async function writeAll(to: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  try {
    for (let written = 0; written < bytes.byteLength;) written += (await to.write(bytes, written, bytes.byteLength - written, at + written)).bytesWritten;
  } catch (error) {
    throw translateScratchError(error);
  }
}
