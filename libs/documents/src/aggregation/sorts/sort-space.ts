import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitExceeded, unavailable } from '@twinyard/conventions';
import { translateScratchError } from '@twinyard/service-kit';
import { SORT_DISK_BYTES } from '../bounds';

const PREFIX = 'twinyard-sort-';
/** Of all that pipelines of a process may write, what one may. */
const PARTS = 4;
/** A folder has a name for some milliseconds: the process of an older one was killed in them. Nothing was written yet. */
const ABANDONED_MS = 3_600_000;

/** The disk that the pipelines of one process sort on. Files there have no names, so that nobody else can open them, and they go with their process, however it ends. */
export class SortSpace {
  private taken = 0;
  private ready: Promise<unknown> | undefined;

  /** `mostBytes`: of all pipelines together; one of them has a quarter. */
  constructor(private readonly folder = tmpdir(), private readonly mostBytes = SORT_DISK_BYTES) {}

  /** What one pipeline writes. */
  share(): SortShare {
    return new SortShare(this, Math.floor(this.mostBytes / PARTS));
  }

  /** Errors: `unavailable` where others have it all. */
  take(bytes: number): void {
    if (this.taken + bytes > this.mostBytes) throw unavailable('Other pipelines sort too much right now');
    this.taken += bytes;
  }

  give(bytes: number): void {
    this.taken -= bytes;
  }

  /** An empty file. Errors: `insufficient_storage`. */
  async file(): Promise<FileHandle> {
    try {
      this.ready ??= this.make();
      await this.ready;
      return await openNameless(await mkdtemp(join(this.folder, PREFIX)));
    } catch (error) {
      this.ready = undefined;
      throw translateScratchError(error);
    }
  }

  private async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => name.startsWith(PREFIX));
    for (const path of names.map((name) => join(this.folder, name))) {
      const found = await stat(path).catch(() => undefined);
      // Those of other users stay.
      if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Takes the folder away as soon as its file is open, before anything is written. */
async function openNameless(folder: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await open(join(folder, 'rows'), 'wx+', 0o600);
    await rm(folder, { recursive: true });
    return file;
  } catch (error) {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Counts what one pipeline has on disk. */
export class SortShare {
  private bytes = 0;

  constructor(private readonly space: SortSpace, private readonly mostBytes: number) {}

  /** Errors: `limit_exceeded`, `unavailable` where others have too much. */
  take(bytes: number): void {
    if (this.bytes + bytes > this.mostBytes) throw limitExceeded(`The pipeline needs more than ${this.mostBytes} bytes of disk to sort; narrow its first $match, leave out fields that nobody needs, or put $limit behind $sort`);
    this.space.take(bytes);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.space.give(bytes);
    this.bytes -= bytes;
  }

  file(): Promise<FileHandle> {
    return this.space.file();
  }
}
