import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { unavailable } from '@twinyard/conventions';
import { translateScratchError } from '@twinyard/service-kit';

export interface IfcSource {
  /** What its bytes have to be; of one that is kept packed nobody knows it. */
  readonly known: { readonly size: number; /** Hex. */ readonly sha256: string } | undefined;
  /** Fails where there are more than so many. */
  bytes(mostBytes: number): AsyncIterable<Uint8Array>;
}

/** Writes the file to the disk and makes sure that it came as it is; how many bytes it has. Errors: `insufficient_storage`; `unavailable` where other bytes came. */
export async function copySource({ known, bytes }: IfcSource, mostBytes: number, to: FileHandle, progress: (done: number) => Promise<void>): Promise<number> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const chunk of bytes(mostBytes)) {
    hash.update(chunk);
    await writeAll(to, chunk, done);
    done += chunk.byteLength;
    await progress(done);
  }
  if (known !== undefined && (done !== known.size || hash.digest('hex') !== known.sha256)) throw unavailable('The IFC file did not come as it is: its bytes have another checksum');
  return done;
}

/** A disk that becomes full takes a part first. */
async function writeAll(to: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  try {
    for (let written = 0; written < bytes.byteLength;) written += (await to.write(bytes, written, bytes.byteLength - written, at + written)).bytesWritten;
  } catch (error) {
    throw translateScratchError(error);
  }
}
