import { Readable } from 'node:stream';
import { ObjectMismatch, ObjectNotFound, type ObjectStore } from '@twinyard/blobs';
import { digestOf } from '../blob-check/blob-digest';
import type { BlobReference, BlobReferencesRepository } from '../blob-check/blob-references.repository';
import type { Pacer } from '../blob-check/pacer';

/** What is to be in the other store; of a loose blob nobody has kept what it holds. */
export type CopiedBlob = Pick<BlobReference, 'key'> & Partial<Pick<BlobReference, 'size' | 'sha256'>>;

export type CopyOutcome =
  | { readonly outcome: 'copied'; readonly bytes: number }
  /** It was there; or it was deleted while it was looked for or copied. */
  | { readonly outcome: 'present' | 'deleted' }
  /** In neither store; other bytes than were recorded; read back as others than were written. */
  | { readonly outcome: 'missing' | 'damaged' | 'miswritten' };

export interface CopyRoom {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly references: BlobReferencesRepository;
  readonly pacer: Pacer;
}

/** Copies one blob, unless it is there. Its record decides: what was deleted while it was copied does not come back. */
export async function copyBlob(room: CopyRoom, blob: CopiedBlob): Promise<CopyOutcome> {
  if (await isThere(room, blob)) return { outcome: 'present' };
  const source = await room.from.get(blob.key).catch(unlessMissing);
  if (source === undefined) return absent(room, blob);
  const copied = await store(room, blob, source);
  if (copied.outcome !== 'copied') return copied;
  // A deletion deletes in both stores; one whose end comes after this question deletes this copy too.
  if (!(await room.references.isUnknown(blob.key))) return copied;
  await room.to.delete(blob.key);
  return { outcome: 'deleted' };
}

async function isThere({ from, to }: CopyRoom, { key, size }: CopiedBlob): Promise<boolean> {
  const there = await to.stat(key);
  if (there === undefined) return false;
  return there.size === (size ?? (await from.stat(key))?.size ?? there.size);
}

async function store({ from, to, pacer }: CopyRoom, { key, size, sha256 }: CopiedBlob, source: Readable): Promise<CopyOutcome> {
  const expected = { ...(size !== undefined && { size }), ...(sha256 !== undefined && { sha256 }) };
  const written = await to.put(key, Readable.from(pacer.pace(source)), expected).catch((error: unknown) => {
    if (!(error instanceof ObjectMismatch)) throw error;
  });
  if (written === undefined) return { outcome: 'damaged' };
  const read = await digestOf(to, key, pacer);
  if (read !== undefined && read !== 'unreadable' && read.sha256 === written.sha256) return { outcome: 'copied', bytes: written.size };
  // A deletion may have come between; else the other store does not keep what it is given.
  if (read === undefined && (await from.stat(key)) === undefined) return { outcome: 'deleted' };
  await to.delete(key);
  return { outcome: 'miswritten' };
}

/** Deleted meanwhile, or completed in the other store, or lost. */
async function absent({ to, references }: CopyRoom, { key }: CopiedBlob): Promise<CopyOutcome> {
  if (await references.isUnknown(key)) return { outcome: 'deleted' };
  if ((await to.stat(key)) !== undefined) return { outcome: 'present' };
  // A note of what is about to be stored, or of what was never stored, has no bytes yet.
  return { outcome: (await references.held([key])).length > 0 ? 'missing' : 'deleted' };
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ObjectNotFound)) throw error;
}
