import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'twinyard-preview-';
/** Far longer than any drawing: whoever made it was killed. */
const ABANDONED_MS = 24 * 3_600_000;

/** A folder for as long as `work` takes. */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what processes that were killed have left. */
export async function removeAbandonedFolders(now = Date.now()): Promise<void> {
  const names = (await readdir(tmpdir()).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < now - ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
