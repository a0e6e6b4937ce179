import { createHash, randomUUID } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ObjectNotFound } from '../port/object-errors';
import { requireObjectKey } from '../port/object-key';
import { digestOf, ObjectMeter } from '../port/object-meter';
import { type ByteRange, type ObjectDigest, type ObjectStat, ObjectStore, type PutExpectations } from '../port/object-store';
import type { PartialObject, PartialTarget } from '../port/partial-object';
import { isMissing, toStorageError } from './file-errors';
import { FILE_MODE, FOLDER_MODE } from './file-modes';
import { appendToFile } from './partial-file';

/** Bytes that may wait for the disk while the next ones are received and hashed; they are written together. */
const WRITE_AHEAD = 1024 ** 2;

/** Stands for `/` in file names; it is no character of a key. */
const SLASH = '+';

/**
 * Objects as files below one folder:
 *
 *     objects/<2 hex digits>/<2 hex digits>/<key, `/` written as `+`>   the digits are of the key's SHA-256, so no folder grows large
 *     incoming/<uuid>                                                  puts under way
 *     incoming/<key, as above>                                         objects that come in pieces
 *
 * A put is written to `incoming`, brought to the disk, and renamed: the two lie in one file system. A crash leaves only files in
 * `incoming`, which `sweep` removes.
 */
export class FolderObjectStore extends ObjectStore {
  private constructor(
    private readonly objects: string,
    private readonly incoming: string,
  ) {
    super();
  }

  /** Makes the folder when it is not there. */
  static async open(folder: string): Promise<FolderObjectStore> {
    const store = new FolderObjectStore(join(folder, 'objects'), join(folder, 'incoming'));
    for (const needed of [store.objects, store.incoming]) await makeFolder(needed);
    return store;
  }

  override async put(key: string, body: Readable, expected: PutExpectations = {}): Promise<ObjectDigest> {
    const meter = new ObjectMeter(expected);
    await this.keep(key, (partial) => pipeline(body, meter, createWriteStream(partial, { flags: 'wx', mode: FILE_MODE, flush: true, highWaterMark: WRITE_AHEAD })));
    return meter.digest;
  }

  /** Without the streams, which cost more than a small object does. */
  override async putBytes(key: string, bytes: Buffer, expected: PutExpectations = {}): Promise<ObjectDigest> {
    const digest = digestOf(bytes, expected);
    await this.keep(key, (partial) => writeFile(partial, bytes, { flag: 'wx', mode: FILE_MODE, flush: true }));
    return digest;
  }

  /** Makes the object of what `write` has brought to the disk. */
  private async keep(key: string, write: (partial: string) => Promise<void>): Promise<void> {
    const target = this.pathOf(key);
    const partial = join(this.incoming, randomUUID());
    try {
      await write(partial);
      await renameInto(partial, target);
      await flushFolder(dirname(target));
    } catch (error) {
      await rm(partial, { force: true });
      throw toStorageError(error);
    }
  }

  override append(target: PartialTarget, from: PartialObject, body: AsyncIterable<Buffer>): AsyncIterable<PartialObject> {
    return appendToFile(this.partialOf(target.key), target, from, body);
  }

  override async complete({ key, size }: PartialTarget): Promise<void> {
    const target = this.pathOf(key);
    if (size === 0) await writeFile(this.partialOf(key), '', { mode: FILE_MODE });
    await makeFolder(dirname(target));
    await rename(this.partialOf(key), target).catch(async (error: unknown) => {
      if (!isMissing(error)) throw toStorageError(error);
      if ((await this.stat(key)) === undefined) throw new ObjectNotFound(key);
    });
    await flushFolder(dirname(target));
  }

  override async abandon({ key }: PartialTarget): Promise<void> {
    await rm(this.partialOf(key), { force: true });
  }

  override async get(key: string, range?: ByteRange): Promise<Readable> {
    const handle = await open(this.pathOf(key), 'r').catch((error: unknown) => {
      throw isMissing(error) ? new ObjectNotFound(key) : error;
    });
    return handle.createReadStream({ highWaterMark: 256 * 1024, ...(range && { start: range.first, end: range.last }) });
  }

  override async stat(key: string): Promise<ObjectStat | undefined> {
    const found = await unlessMissing(stat(this.pathOf(key)));
    return found && { key, size: found.size, modifiedAt: found.mtime };
  }

  override async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  override async *list(prefix = ''): AsyncGenerator<ObjectStat> {
    for (const upper of await readdir(this.objects)) {
      for (const lower of await readdir(join(this.objects, upper))) {
        yield* this.listShard(join(this.objects, upper, lower), prefix);
      }
    }
  }

  override async sweep(before: Date): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.incoming)) {
      const path = join(this.incoming, name);
      const found = await unlessMissing(stat(path));
      if (found === undefined || found.mtime >= before) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  override async presignedGet(key: string): Promise<undefined> {
    requireObjectKey(key);
  }

  override async check(): Promise<void> {
    await access(this.objects, constants.R_OK | constants.W_OK);
    await access(this.incoming, constants.R_OK | constants.W_OK);
  }

  private async *listShard(folder: string, prefix: string): AsyncGenerator<ObjectStat> {
    for (const name of await readdir(folder)) {
      const key = name.replaceAll(SLASH, '/');
      const found = key.startsWith(prefix) ? await this.stat(key) : undefined;
      if (found !== undefined) yield found;
    }
  }

  private partialOf(key: string): string {
    return join(this.incoming, requireObjectKey(key).replaceAll('/', SLASH));
  }

  private pathOf(key: string): string {
    const digits = createHash('sha256').update(requireObjectKey(key)).digest('hex');
    return join(this.objects, digits.slice(0, 2), digits.slice(2, 4), key.replaceAll('/', SLASH));
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE });
}

/** Most folders are there. */
async function renameInto(partial: string, target: string): Promise<void> {
  try {
    await rename(partial, target);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(dirname(target));
    await rename(partial, target);
  }
}

/** The new name is on the disk only when its folder is. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const unlessMissing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
