import { pipeline, type Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type ObjectDigest, ObjectStore, ObjectTooLarge } from '@twinyard/blobs';
import type { RequestContext } from '@twinyard/auth';
import { newUuid, type ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { detectContentType, PREFIX_BYTES } from '../detection/detect-content-type';
import { FirstBytes } from '../detection/first-bytes';
import type { Room } from '../quota/room';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { BlobSweeper } from './blob-sweeper';
import { fileTooLarge } from './file-size';
import { LooseBlobsRepository } from './loose-blobs.repository';
import { meaningOf } from './multipart';
import { UploadTransactions } from './upload-transactions';

export interface StoredBlob extends ObjectDigest {
  readonly key: string;
  /** By its first bytes; `null`, when they do not tell. */
  readonly detectedContentType: string | null;
}

/** Whose the blobs are; asked in the transaction that writes them down, before any byte is stored. */
export interface Allow {
  readonly ctx: RequestContext;
  readonly ask: (tx: TypeOrmTx) => Promise<void>;
}

/** Bytes that still come. */
export interface ArrivingContent {
  readonly contentEncoding: string | null;
  /** Those that have come already. */
  readonly begin: Buffer;
  readonly rest: Readable;
  /** Where the namespace has a limit. */
  readonly room: Room | undefined;
}

/** Few bytes, all here. */
export interface SmallContent {
  readonly contentEncoding: string | null;
  readonly bytes: Buffer;
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
    private readonly transactions: UploadTransactions,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS' | 'MAX_FILE_SIZE'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async receive({ contentEncoding, begin, rest, room }: ArrivingContent, allow: Allow): Promise<StoredBlob> {
    const key = newKey();
    await this.note([key], allow);
    try {
      const first = new FirstBytes(PREFIX_BYTES);
      first.write(begin);
      // What breaks either of them breaks the other, and ends the put.
      pipeline(rest, first, () => undefined);
      const digest = await this.store.put(key, first, { maxSize: this.mostOf(room) });
      return { key, ...digest, detectedContentType: (await detectContentType(first.bytes, contentEncoding)) ?? null };
    } catch (error) {
      await this.discard([{ key }]);
      if (error instanceof ObjectTooLarge) throw this.refuse(error, room);
      throw meaningOf(error, rest);
    }
  }

  /** Bytes that one content may have. */
  mostOf(room: Room | undefined): number {
    return Math.min(this.settings.MAX_FILE_SIZE, room?.bytes ?? Infinity);
  }

  /** Several that are small, and not too large together: written down by one transaction, brought to the disk at once. All or none. */
  async receiveSmall(contents: readonly SmallContent[], allow: Allow): Promise<StoredBlob[]> {
    const keyed = contents.map((content) => ({ ...content, key: newKey() }));
    await this.note(keyed.map(({ key }) => key), allow);
    try {
      const puts = await Promise.allSettled(keyed.map((content) => this.putSmall(content)));
      // None is under way any more, so that what is discarded is gone for good.
      return puts.map((put) => {
        if (put.status === 'rejected') throw put.reason;
        return put.value;
      });
    } catch (error) {
      await this.discard(keyed);
      throw error;
    }
  }

  private async putSmall({ key, bytes, contentEncoding }: SmallContent & { readonly key: string }): Promise<StoredBlob> {
    const digest = await this.store.putBytes(key, bytes);
    return { key, ...digest, detectedContentType: (await detectContentType(bytes.subarray(0, PREFIX_BYTES), contentEncoding)) ?? null };
  }

  private async note(keys: readonly string[], allow: Allow): Promise<void> {
    const expiresAt = new Date(Date.now() + this.settings.UPLOAD_EXPIRY_SECONDS * 1_000);
    await this.transactions.run(allow.ctx, async (tx) => {
      await allow.ask(tx);
      await this.looseBlobs.insertAll(tx, keys, expiresAt);
    });
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

const newKey = () => `files/${newUuid()}`;
