import { type FileHandle, open } from 'node:fs/promises';
import { ObjectNotFound, ObjectTooLarge } from '../port/object-errors';
import type { PartialObject, PartialTarget } from '../port/partial-object';
import { ReceivedBody } from '../port/received-body';
import { isMissing, toStorageError } from './file-errors';

/** After so many bytes they are brought to the disk and told of: what a crash costs the sender. */
const CHECKPOINT = 16 * 1024 ** 2;

/** Lets a file grow. What it holds beyond the state that is told was never acknowledged, and is cut off. */
export async function* appendToFile(path: string, target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncGenerator<PartialObject> {
  const handle = await openAt(path, target, from.offset);
  const received = new ReceivedBody(body);
  try {
    let [offset, told] = [from.offset, from.offset];
    for await (const chunk of received) {
      if (offset + chunk.length > target.size) throw new ObjectTooLarge(target.size);
      await writeAll(handle, chunk, offset);
      offset += chunk.length;
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
  const handle = await open(path, offset === 0 ? 'w' : 'r+').catch((error: unknown) => {
    throw isMissing(error) ? new ObjectNotFound(key) : toStorageError(error);
  });
  await handle.truncate(offset);
  return handle;
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}
