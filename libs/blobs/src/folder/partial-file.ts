import { type FileHandle, open } from 'node:fs/promises';
import { ObjectNotFound, ObjectTooLarge } from '../port/object-errors';
import type { PartialObject, PartialTarget } from '../port/partial-object';
import { ReceivedBody } from '../port/received-body';
import { isMissing, toStorageError } from './file-errors';
import { FILE_MODE } from './file-modes';

/** After so many bytes they are brought to the disk and told of: what a crash costs the sender. */
const CHECKPOINT = 16 * 1024 ** 2;

/** What is written by one call: a call for each 64 KB that come took a third of the time. */
const TOGETHER = 1024 ** 2;

/** Lets a file grow. What it holds beyond the state that is told was never acknowledged, and is cut off. */
export async function* appendToFile(path: string, target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncGenerator<PartialObject> {
  const handle = await openAt(path, target, from.offset);
  const received = new ReceivedBody(body);
  try {
    let [offset, told] = [from.offset, from.offset];
    for await (const { chunks, length } of together(received)) {
      if (offset + length > target.size) throw new ObjectTooLarge(target.size);
      await writeAll(handle, chunks, offset);
      offset += length;
      if (offset - told < CHECKPOINT) continue;
      await handle.datasync();
      told = offset;
      yield { offset };
    }
    if (offset > told) {
      await handle.datasync();
      yield { offset };
    }
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await handle.close();
  }
  received.requireWhole();
}

async function openAt(path: string, { key }: PartialTarget, offset: number): Promise<FileHandle> {
  const handle = await open(path, offset === 0 ? 'w' : 'r+', FILE_MODE).catch((error: unknown) => {
    throw isMissing(error) ? new ObjectNotFound(key) : toStorageError(error);
  });
  await handle.truncate(offset);
  return handle;
}

interface Chunks {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

async function* together(body: AsyncIterable<Buffer>): AsyncGenerator<Chunks> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < TOGETHER) continue;
    yield { chunks, length };
    [chunks, length] = [[], 0];
  }
  if (length > 0) yield { chunks, length };
}

/** A disk that is nearly full takes a part: the rest is tried for, so that it says why. */
async function writeAll(handle: FileHandle, chunks: readonly Buffer[], at: number): Promise<void> {
  const { bytesWritten } = await handle.writev(chunks, at);
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytesWritten === length) return;
  const bytes = Buffer.concat(chunks);
  for (let done = bytesWritten; done < length; ) done += (await handle.write(bytes, done, length - done, at + done)).bytesWritten;
}
