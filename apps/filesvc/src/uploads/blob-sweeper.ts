import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { LOGGER, type Logger, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { ExpiredUploads } from '../resumable/expired-uploads';
import { LooseBlobsRepository } from './loose-blobs.repository';

const BATCH = 100;
const INTERVAL_MS = 60_000;

/** Removes blobs that nothing holds: of deleted versions soon, of uploads that a crash cut off when they have expired. */
@Injectable()
export class BlobSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: ObjectStore,
    private readonly looseBlobs: LooseBlobsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    @Inject(FILESVC_SETTINGS) private readonly settings: Pick<FilesvcSettings, 'UPLOAD_EXPIRY_SECONDS'>,
    private readonly expiredUploads: ExpiredUploads,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.nudge(), INTERVAL_MS);
    this.timer.unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Sweeps soon; a sweep that fails is tried again by the next. */
  nudge(): void {
    this.running = this.running
      .then(() => this.sweep(new Date()))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'could not remove blobs that nothing holds'));
  }

  /** Removes what has expired at `now`. The number of blobs and partial uploads removed. */
  async sweep(now: Date): Promise<number> {
    let removed = await this.expiredUploads.sweep(now);
    for (let batch = BATCH; batch === BATCH; removed += batch) batch = await this.sweepBatch(now);
    return removed + (await this.store.sweep(new Date(now.getTime() - this.settings.UPLOAD_EXPIRY_SECONDS * 1_000)));
  }

  /** Removes the blobs of an upload that came to nothing. One that a version holds by now is kept: its row is gone. */
  async discard(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.unitOfWork.run(async (tx) => {
        if (await this.looseBlobs.take(tx, key)) await this.store.delete(key);
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
