import { pipeline, type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type ObjectDigest, ObjectStore, ObjectTooLarge } from '@twinyard/blobs';
import { newUuid, type ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { detectContentType, PREFIX_BYTES } from '../detection/detect-content-type';
import { FirstBytes } from '../detection/first-bytes';
import type { Room } from '../quota/room';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { BlobSweeper } from './blob-sweeper';
import { fileTooLarge } from './file-size';
import { LooseBlobsRepository } from './loose-blobs.repository';

export interface StoredBlob extends ObjectDigest {
  readonly key: string;
  /** By its first bytes; `null`, when they do not tell. */
  readonly detectedContentType: string | null;
}

export interface IntakeTerms {
  readonly contentEncoding: string | null;
  /** Where the namespace has a limit. */
  readonly room: Room | undefined;
  /** Asked in the transaction that writes the blob down, before any byte is read. */
  readonly allow: (tx: TypeOrmTx) => Promise<void>;
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

  async receive(body: Readable, { contentEncoding, room, allow }: IntakeTerms): Promise<StoredBlob> {
    const key = `files/${newUuid()}`;
    const expiresAt = new Date(Date.now() + this.settings.UPLOAD_EXPIRY_SECONDS * 1_000);
    await this.unitOfWork.run(async (tx) => {
      await allow(tx);
      await this.looseBlobs.insert(tx, key, expiresAt);
    });
    try {
      const first = new FirstBytes(PREFIX_BYTES);
      // What breaks either of them breaks the other, and ends the put.
      pipeline(body, first, () => undefined);
      const digest = await this.store.put(key, first, { maxSize: Math.min(this.settings.MAX_FILE_SIZE, room?.bytes ?? Infinity) });
      return { key, ...digest, detectedContentType: (await detectContentType(first.bytes, contentEncoding)) ?? null };
    } catch (error) {
      await this.discard([{ key }]);
      throw error instanceof ObjectTooLarge ? this.refuse(error, room) : error;
    }
  }

  /** Of bytes that came without a length it is known only that they are more. */
  private refuse({ maxSize }: ObjectTooLarge, room: Room | undefined): ServiceError {
    return room !== undefined && maxSize === room.bytes ? room.refuse(maxSize + 1) : fileTooLarge(this.settings.MAX_FILE_SIZE, maxSize + 1);
  }

  /** After a failure: never hides it by one of its own, since the sweep will do what could not be done here. */
  async discard(blobs: readonly { readonly key: string }[]): Promise<void> {
    await this.sweeper.discard(blobs.map(({ key }) => key)).catch((error: unknown) => this.logger.warn({ err: error }, 'left a blob to the sweep'));
  }
}
