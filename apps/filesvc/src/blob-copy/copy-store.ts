import type { NamedStore } from '@twinyard/blobs';
import type { BlobReferencesRepository, UnfinishedUploads } from '../blob-check/blob-references.repository';
import { checkStore } from '../blob-check/check-store';
import { Pacer } from '../blob-check/pacer';
import { type CopiedBlob, copyBlob, type CopyRoom } from './copied-blob';

export interface CopyOptions {
  readonly from: NamedStore;
  readonly to: NamedStore;
  /** Most bytes that are read in a second, from both stores together. */
  readonly bytesPerSecond?: number;
  /** What a copy that was cut off left in the other store of something deleted is removed after so many seconds. */
  readonly releaseAfterSeconds: number;
  readonly report: (line: CopyLine) => void;
}

export type CopyLine =
  | { readonly missing: string }
  | { readonly damaged: string }
  | { readonly miswritten: string }
  | { readonly orphaned: string }
  | { readonly leftBehind: string }
  | { readonly looked: number; readonly copied: number; readonly bytes: number };

export interface CopyFindings {
  /** By this run. */
  readonly copied: number;
  readonly bytes: number;
  readonly missing: number;
  readonly damaged: number;
  readonly miswritten: number;
  /** In the other store, known to nobody; handed to the sweep. */
  readonly orphaned: number;
  /** In the store that is left, known to nobody: not copied, and not touched. */
  readonly leftBehind: number;
  /** Uploads in pieces that began in the store that is left, and went on when the last pass began. */
  readonly unfinished: UnfinishedUploads;
}

const BATCH = 500;
const PARALLEL = 4;

/**
 * Copies what the database knows from one store to the other, while the service serves from both: in passes, until one finds nothing
 * to copy. Keys never change their bytes, so what is there is there; a run that was cut off is begun again and goes on.
 */
export class CopyStore {
  private readonly room: CopyRoom;
  private readonly found = { copied: 0, bytes: 0, missing: 0, damaged: 0, miswritten: 0 };
  private looked = 0;

  constructor(private readonly references: BlobReferencesRepository, private readonly options: CopyOptions) {
    this.room = { from: options.from.store, to: options.to.store, references, pacer: new Pacer(options.bytesPerSecond) };
  }

  async run(): Promise<CopyFindings> {
    for (;;) {
      // Asked before the pass: what ends while it goes on may end behind where it looks.
      const unfinished = await this.references.unfinishedIn(this.options.from.name);
      const before = this.found.copied;
      Object.assign(this.found, { missing: 0, damaged: 0, miswritten: 0 });
      await this.pass();
      if (this.found.copied > before) continue;
      const { orphaned } = await checkStore(this.references, this.room.to, this.options);
      const left = await checkStore(this.references, this.options.from.store, { report: ({ orphaned: leftBehind }) => this.options.report({ leftBehind }) });
      return { ...this.found, orphaned, leftBehind: left.orphaned, unfinished };
    }
  }

  private async pass(): Promise<void> {
    this.looked = 0;
    for await (const blobs of this.known()) {
      for (let at = 0; at < blobs.length; at += PARALLEL) await Promise.all(blobs.slice(at, at + PARALLEL).map((blob) => this.copy(blob)));
      this.looked += blobs.length;
      this.options.report({ looked: this.looked, copied: this.found.copied, bytes: this.found.bytes });
    }
  }

  /** What versions and pictures hold, then what is kept for a while after its deletion. */
  private async *known(): AsyncGenerator<readonly CopiedBlob[]> {
    for (let rows = await this.references.next('', BATCH); rows.length > 0; rows = await this.references.next(rows.at(-1)?.key ?? '', BATCH)) yield rows;
    for (let keys = await this.references.nextLoose('', BATCH); keys.length > 0; keys = await this.references.nextLoose(keys.at(-1) ?? '', BATCH)) {
      yield keys.map((key) => ({ key }));
    }
  }

  private async copy(blob: CopiedBlob): Promise<void> {
    const copied = await copyBlob(this.room, blob);
    if (copied.outcome === 'present' || copied.outcome === 'deleted') return;
    this.found[copied.outcome] += 1;
    if (copied.outcome === 'copied') this.found.bytes += copied.bytes;
    else this.options.report({ [copied.outcome]: blob.key } as CopyLine);
  }
}
