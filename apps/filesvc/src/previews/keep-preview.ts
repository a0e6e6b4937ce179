import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { HeldJob } from '@twinyard/jobs';
import { type Drawn, PICTURE } from '@twinyard/previews';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FilesEvents } from '../files/files.events';
import { FilesRepository } from '../files/files.repository';
import { BlobSweeper } from '../uploads/blob-sweeper';
import { LooseBlobsRepository } from '../uploads/loose-blobs.repository';
import type { VersionOfFile } from '../versions/versions.repository';
import type { Preview } from './preview';
import type { PreviewOrder } from './preview-job';
import { PreviewsRepository } from './previews.repository';

/** A picture is small: whoever has not stored and recorded it by then has died. */
const EXPIRY_MS = 60_000;

export interface Made {
  readonly held: HeldJob<PreviewOrder, TypeOrmTx>;
  readonly found: VersionOfFile;
  readonly drawn: Drawn;
}

/** The tables that a new picture touches. */
@Injectable()
export class PreviewStores {
  constructor(
    readonly files: FilesRepository,
    readonly previews: PreviewsRepository,
    readonly looseBlobs: LooseBlobsRepository,
  ) {}
}

/** Stores a picture: its key is noted first, so that a crash at any moment leaves nothing that the sweep does not know. */
@Injectable()
export class KeepPreview {
  constructor(
    private readonly store: ObjectStore,
    private readonly stores: PreviewStores,
    private readonly events: FilesEvents,
    private readonly outbox: Outbox,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly sweeper: BlobSweeper,
  ) {}

  async run(made: Made, open: () => Readable): Promise<void> {
    const [id, blobKey] = [newUuid(), `previews/${newUuid()}`];
    const expiresAt = new Date(Date.now() + EXPIRY_MS);
    await this.unitOfWork.run((tx) => this.stores.looseBlobs.insert(tx, blobKey, expiresAt));
    let isKept = false;
    try {
      const { size, sha256 } = await this.store.put(blobKey, open());
      const { contentType } = made.drawn;
      const preview = { id, versionId: made.held.payload.versionId, ...PICTURE, contentType, blobKey, size, sha256, createdAt: new Date() };
      isKept = await this.unitOfWork.run((tx) => this.record(tx, made, preview));
    } finally {
      // The sweep will do what cannot be done here.
      if (!isKept) await this.sweeper.discard([blobKey]).catch(() => undefined);
    }
  }

  /** False when the version is gone, or has one by now: what was drawn here is nobody's. @throws LeaseLost */
  private async record(tx: TypeOrmTx, { held, found }: Made, preview: Preview): Promise<boolean> {
    const { files, previews, looseBlobs } = this.stores;
    // Whoever deletes the version holds its file; the picture is let go of with it, or never recorded.
    const file = await files.lock(tx, found.file.id);
    await held.finish(tx);
    if (file === undefined || !(await previews.isWanted(tx, preview.versionId))) return false;
    if (!(await looseBlobs.take(tx, preview.blobKey))) throw new Error('the picture was swept before it was recorded');
    await previews.insert(tx, preview);
    await this.outbox.append(tx, this.events.preview('created', { origin: held.payload }, { file, version: found.version, preview }));
    return true;
  }
}
