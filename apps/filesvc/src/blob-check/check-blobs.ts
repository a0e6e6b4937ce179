import type { ObjectStore } from '@twinyard/blobs';
import type { BlobReferencesRepository } from './blob-references.repository';

export interface CheckOptions {
  /** Hand blobs that nobody knows to the sweep, which removes them after so many seconds. */
  readonly releaseAfterSeconds?: number;
  readonly report: (line: object) => void;
}

export interface BlobFindings {
  readonly versions: number;
  readonly blobs: number;
  /** Versions whose bytes are not in the store. */
  readonly missing: number;
  /** Blobs that the database does not know: harmless, but they take room. */
  readonly unknown: number;
}

const BATCH = 1_000;
const PARALLEL = 20;

/** Compares the database with the store, both ways, while the service runs. The sweep itself removes only what the database has given up. */
export async function checkBlobs(references: BlobReferencesRepository, store: ObjectStore, options: CheckOptions): Promise<BlobFindings> {
  const held = await checkVersions(references, store, options);
  const stored = await checkStore(references, store, options);
  return { versions: held.versions, blobs: stored.blobs, missing: held.missing, unknown: stored.unknown };
}

async function checkVersions(references: BlobReferencesRepository, store: ObjectStore, { report }: CheckOptions): Promise<{ versions: number; missing: number }> {
  const found = { versions: 0, missing: 0 };
  for (let after = '', rows = await references.next(after, BATCH); rows.length > 0; rows = await references.next(after, BATCH)) {
    for (let at = 0; at < rows.length; at += PARALLEL) {
      const some = rows.slice(at, at + PARALLEL);
      const stats = await Promise.all(some.map(({ key }) => store.stat(key)));
      const lost = some.filter((_, index) => stats[index] === undefined);
      for (const { key, versionId, fileId } of lost) report({ missing: key, versionId, fileId });
      found.missing += lost.length;
    }
    found.versions += rows.length;
    after = rows.at(-1)?.key ?? after;
  }
  return found;
}

async function checkStore(references: BlobReferencesRepository, store: ObjectStore, { releaseAfterSeconds, report }: CheckOptions): Promise<{ blobs: number; unknown: number }> {
  const found = { blobs: 0, unknown: 0 };
  const look = async (keys: readonly string[]) => {
    const unknown = await references.unknown(keys);
    for (const key of unknown) report({ unknown: key });
    if (releaseAfterSeconds !== undefined) await references.release(unknown, releaseAfterSeconds);
    found.blobs += keys.length;
    found.unknown += unknown.length;
  };
  const keys: string[] = [];
  for (const kept of ['files/', 'previews/']) {
    for await (const { key } of store.list(kept)) {
      keys.push(key);
      if (keys.length === BATCH) await look(keys.splice(0));
    }
  }
  if (keys.length > 0) await look(keys);
  return found;
}
