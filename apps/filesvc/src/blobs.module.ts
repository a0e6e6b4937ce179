import { type DynamicModule, Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { LOGGER, type Logger, ReadinessChecks } from '@twinyard/service-kit';
import { openStore } from './blob-stores';
import { FILESVC_SETTINGS, type FilesvcSettings } from './config';

/** Where the bytes are: a folder, on one machine, or an S3. */
@Global()
@Module({})
export class BlobsModule implements OnModuleInit {
  private isReady = true;

  constructor(
    @Inject(ObjectStore) private readonly store: ObjectStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ReadinessChecks) readiness: ReadinessChecks,
  ) {
    readiness.add('blobs', () => this.check());
  }

  static forRoot(settings: FilesvcSettings): DynamicModule {
    return {
      module: BlobsModule,
      providers: [
        { provide: FILESVC_SETTINGS, useValue: settings },
        { provide: ObjectStore, useFactory: () => openStore(settings) },
      ],
      exports: [FILESVC_SETTINGS, ObjectStore],
    };
  }

  /** An S3 that is away keeps the service from being ready, not from starting. */
  async onModuleInit(): Promise<void> {
    await this.check().catch(() => undefined);
  }

  /** Says once why the store is not ready, however often it is asked. */
  private async check(): Promise<void> {
    const wasReady = this.isReady;
    try {
      await this.store.check();
      this.isReady = true;
    } catch (error) {
      this.isReady = false;
      if (wasReady) this.logger.warn({ err: error }, 'the object store is not ready');
      throw error;
    }
    if (!wasReady) this.logger.info('the object store is ready');
  }
}
