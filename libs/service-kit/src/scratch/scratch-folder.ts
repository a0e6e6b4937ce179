import { type FileHandle, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translateScratchError } from '../store-errors';

/** A folder has a name for some milliseconds: the process of an older one was killed in them. Nothing was written yet. */
const ABANDONED_MS = 3_600_000;

/** Where a process has files for the moment. They have no names, so that nobody else can open them, and they go with the processes that have them open, however these end. */
export class ScratchFolder {
  private ready: Promise<unknown> | undefined;

  /** `prefix`: of what is left when a process is killed in the moment in which it makes a file. */
  constructor(private readonly prefix: string, private readonly folder = tmpdir()) {}

  /** An empty file. Errors: `insufficient_storage`. */
  async file(): Promise<FileHandle> {
    try {
      this.ready ??= this.make();
      await this.ready;
      return await openNameless(await mkdtemp(join(this.folder, this.prefix)));
    } catch (error) {
      this.ready = undefined;
      throw translateScratchError(error);
    }
  }

  private async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => name.startsWith(this.prefix));
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
    file = await open(join(folder, 'scratch'), 'wx+', 0o600);
    await rm(folder, { recursive: true });
    return file;
  } catch (error) {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
