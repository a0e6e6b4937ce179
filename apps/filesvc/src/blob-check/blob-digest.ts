import { createHash } from 'node:crypto';
import { type ObjectDigest, ObjectNotFound, type ObjectStore } from '@twinyard/blobs';
import { ServiceError } from '@twinyard/conventions';
import type { Pacer } from './pacer';

/** Of the bytes as they are in the store now; nothing when there are none. `unreadable`: the medium fails; a store that is away rejects. */
export async function digestOf(store: ObjectStore, key: string, pacer: Pacer): Promise<ObjectDigest | 'unreadable' | undefined> {
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of pacer.pace(await store.get(key))) {
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, sha256: hash.digest('hex') };
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    if (error instanceof ServiceError) throw error;
    return 'unreadable';
  }
}
