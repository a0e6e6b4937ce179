import type { ObjectStore } from '@twinyard/blobs';
import type { BlobReferencesRepository } from './blob-references.repository';

export interface StoreCheckOptions {
  readonly releaseAfterSeconds?: number;
  readonly report: (finding: { readonly orphaned: string }) => void;
}

const BATCH = 1_000;

/** Blobs that the database does not know. An upload notes what it stores before it does so, and is none of them. */
export async function checkStore(references: BlobReferencesRepository, store: ObjectStore, options: StoreCheckOptions): Promise<{ blobs: number; orphaned: number }> {
  const found = { blobs: 0, orphaned: 0 };
  const look = async (keys: readonly string[]) => {
    const orphaned = await stillThere(store, await references.orphanedOf(keys));
    for (const key of orphaned) options.report({ orphaned: key });
    if (options.releaseAfterSeconds !== undefined) await references.release(orphaned, options.releaseAfterSeconds);
    found.blobs += keys.length;
    found.orphaned += orphaned.length;
  };
  const keys: string[] = [];
  for await (const { key } of store.list()) {
    keys.push(key);
    if (keys.length === BATCH) await look(keys.splice(0));
  }
  if (keys.length > 0) await look(keys);
  return found;
}

/** What was swept between the list and the question is orphaned because it is gone. */
async function stillThere(store: ObjectStore, keys: readonly string[]): Promise<string[]> {
  const there: string[] = [];
  for (const key of keys) if ((await store.stat(key)) !== undefined) there.push(key);
  return there;
}
