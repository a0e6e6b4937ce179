import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { Schedules } from '@twinyard/jobs';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { ExpiredUploads } from '../resumable/expired-uploads';
import { LooseBlobsRepository } from './loose-blobs.repository';

const KIND = 'filesvc.blob-sweep';
const EVERY_MS = 60_000;
const BATCH = 100;

/** Removes blobs that nothing holds: of deleted versions soon, of uploads that a crash cut off when they have expired. */
@Injectable()
export class BlobSweeper implements OnModuleInit {
  constructor(
    private readonly store: ObjectStore,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS'>,
    private readonly expiredUploads: ExpiredUploads,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every(KIND, { everyMs: EVERY_MS }, (signal) => this.sweep(Date.now(), signal));
  }

  /** Something was let go of that need not wait for its time. */
  soon(): void {
    this.schedules.soon(KIND);
  }

  /** Of what is over at `now`, in ms; the number of blobs and partial uploads removed. */
  async sweep(now: number, signal?: AbortSignal): Promise<number> {
    const at = new Date(now);
    let removed = await this.expiredUploads.sweep(at);
    for (let batch = BATCH; batch === BATCH && signal?.aborted !== true; removed += batch) batch = await this.sweepBatch(at);
    return removed + (await this.store.sweep(new Date(now - this.settings.UPLOAD_EXPIRY_SECONDS * 1_000)));
  }

  /**
   * Removes the blobs of an upload that came to nothing. One whose note is gone was kept after all, when the answer to a commit was
   * lost; or the sweep came before the bytes did, and nobody knows of them but who stored them.
   */
  async discard(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.unitOfWork.run(async (tx) => {
        if ((await this.looseBlobs.take(tx, key)) || !(await this.looseBlobs.isHeld(tx, key))) await this.store.delete(key);
      });
    }
  }

  private async sweepBatch(now: Date): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const keys = await this.looseBlobs.claimExpired(tx, now, BATCH);
      for (const key of keys) {
        await this.store.delete(key);
        await this.looseBlobs.take(tx, key);
      }
      return keys.length;
    });
  }
}
