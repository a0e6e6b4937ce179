import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type ObjectDigest, ObjectStore, ObjectTooLarge } from '@twinyard/blobs';
import { newUuid, tooLarge } from '@twinyard/conventions';
import { LOGGER, type Logger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { BlobSweeper } from './blob-sweeper';
import { LooseBlobsRepository } from './loose-blobs.repository';

export interface StoredBlob extends ObjectDigest {
  readonly key: string;
}

/**
 * Takes bytes in. What is about to be stored is written down first, so that a crash at any moment leaves nothing that the sweep
 * does not know; the transaction that makes the version strikes it out.
 */
@Injectable()
export class BlobIntake {
  constructor(
    private readonly store: ObjectStore,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly sweeper: BlobSweeper,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS' | 'MAX_FILE_SIZE'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async receive(body: Readable): Promise<StoredBlob> {
    const key = `files/${newUuid()}`;
    const expiresAt = new Date(Date.now() + this.settings.UPLOAD_EXPIRY_SECONDS * 1_000);
    try {
      await this.unitOfWork.run((tx) => this.looseBlobs.insert(tx, key, expiresAt));
      return { key, ...(await this.store.put(key, body, { maxSize: this.settings.MAX_FILE_SIZE })) };
    } catch (error) {
      await this.discard([{ key }]);
      throw error instanceof ObjectTooLarge ? tooLarge(`A file may have at most ${error.maxSize} bytes`) : error;
    }
  }

  /** After a failure: never hides it by one of its own, since the sweep will do what could not be done here. */
  async discard(blobs: readonly { readonly key: string }[]): Promise<void> {
    await this.sweeper.discard(blobs.map(({ key }) => key)).catch((error: unknown) => this.logger.warn({ err: error }, 'left a blob to the sweep'));
  }
}
