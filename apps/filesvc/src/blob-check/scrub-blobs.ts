import type { ObjectStore } from '@twinyard/blobs';
import { digestOf } from './blob-digest';
import type { BlobReference, BlobReferencesRepository, UnfinishedUpload } from './blob-references.repository';
import { checkStore } from './check-store';
import { Pacer } from './pacer';

export interface CheckOptions {
  /** Compare sizes alone: nothing is read. */
  readonly onlySize?: boolean;
  /** Most bytes that are read in a second. */
  readonly bytesPerSecond?: number;
  /** Look at blobs behind this key only: where another check was cut off. */
  readonly after?: string;
  /** Hand blobs that nobody knows to the sweep, which removes them after so many seconds. */
  readonly releaseAfterSeconds?: number;
  readonly report: (finding: Finding) => void;
}

type OfVersion = Pick<BlobReference, 'versionId' | 'fileId'>;
type Fault = ({ readonly missing: string } & OfVersion) | ({ readonly damaged: string; readonly by: 'size' | 'sha256' | 'unreadable' } & OfVersion);
export type Finding = Fault | { readonly orphaned: string } | { readonly unfinished: Omit<UnfinishedUpload, 'expiresAt'> & { readonly until: Date } } | { readonly checkedTo: string; readonly versions: number };

export interface BlobFindings {
  /** Versions, and pictures of versions, that were looked at. */
  readonly versions: number;
  readonly blobs: number;
  /** Of which the bytes are not in the store. */
  readonly missing: number;
  /** Of which the bytes are others than they were. */
  readonly damaged: number;
  /** Blobs that the database does not know: harmless, but they take room. */
  readonly orphaned: number;
  /** Uploads in pieces that have not ended: what has come of them is no blob yet, but takes room. */
  readonly unfinished: number;
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

const BATCH = 1_000;
/** Questions to the store at a time: for sizes, and for contents. */
const PARALLEL = { size: 20, sha256: 4 };

/** Compares the database with the store, both ways, while the service runs. The sweep itself removes only what the database has given up. */
export async function scrubBlobs(references: BlobReferencesRepository, store: ObjectStore, options: CheckOptions): Promise<BlobFindings> {
  const held = await new HeldBlobs(references, store, options).check();
  const stored = await checkStore(references, store, options);
  return { ...held, ...stored, unfinished: await tellUnfinished(references, options) };
}

async function tellUnfinished(references: BlobReferencesRepository, { report }: CheckOptions): Promise<number> {
  let count = 0;
  for (let after = FIRST_UUID; ; ) {
    const uploads = await references.nextUnfinished(after, BATCH);
    for (const { expiresAt: until, ...upload } of uploads) report({ unfinished: { ...upload, until } });
    count += uploads.length;
    const last = uploads.at(-1);
    if (last === undefined) return count;
    after = last.uploadId;
  }
}

class HeldBlobs {
  private readonly pacer: Pacer;
  private readonly found = { versions: 0, missing: 0, damaged: 0 };

  constructor(private readonly references: BlobReferencesRepository, private readonly store: ObjectStore, private readonly options: CheckOptions) {
    this.pacer = new Pacer(options.bytesPerSecond);
  }

  async check(): Promise<Pick<BlobFindings, 'versions' | 'missing' | 'damaged'>> {
    let after = this.options.after ?? '';
    for (;;) {
      const rows = await this.references.next(after, BATCH);
      const last = rows.at(-1);
      if (last === undefined) return this.found;
      await this.checkSome(rows);
      after = last.key;
      this.found.versions += rows.length;
      this.options.report({ checkedTo: after, versions: this.found.versions });
    }
  }

  private async checkSome(rows: readonly BlobReference[]): Promise<void> {
    const parallel = this.options.onlySize === true ? PARALLEL.size : PARALLEL.sha256;
    for (let at = 0; at < rows.length; at += parallel) {
      const suspects = await this.faultsOf(rows.slice(at, at + parallel));
      if (suspects.length === 0) continue;
      // Deleted meanwhile is not missing: what is said of it must hold after the database was asked again.
      const held = await this.references.held(suspects.map(({ reference }) => reference.key));
      for (const { fault } of await this.faultsOf(held)) this.tell(fault);
    }
  }

  private async faultsOf(references: readonly BlobReference[]): Promise<{ readonly reference: BlobReference; readonly fault: Fault }[]> {
    const faults = await Promise.all(references.map(async (reference) => ({ reference, fault: await this.faultOf(reference) })));
    return faults.flatMap(({ reference, fault }) => (fault === undefined ? [] : [{ reference, fault }]));
  }

  private async faultOf({ key, versionId, fileId, size, sha256 }: BlobReference): Promise<Fault | undefined> {
    const stored = this.options.onlySize === true ? await this.store.stat(key) : await digestOf(this.store, key, this.pacer);
    if (stored === undefined) return { missing: key, versionId, fileId };
    if (stored === 'unreadable') return { damaged: key, by: stored, versionId, fileId };
    if (stored.size !== size) return { damaged: key, by: 'size', versionId, fileId };
    return 'sha256' in stored && stored.sha256 !== sha256 ? { damaged: key, by: 'sha256', versionId, fileId } : undefined;
  }

  private tell(fault: Fault): void {
    this.options.report(fault);
    this.found['missing' in fault ? 'missing' : 'damaged'] += 1;
  }
}
