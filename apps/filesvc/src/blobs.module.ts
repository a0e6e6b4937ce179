import { type DynamicModule, Global, Inject, Module } from '@nestjs/common';
import { FolderObjectStore, ObjectStore } from '@twinyard/blobs';
import { ReadinessChecks } from '@twinyard/service-kit';
import { blobsFolder, FILESVC_SETTINGS, type FilesvcSettings } from './config';

/** Where the bytes are: a folder, on one machine. */
@Global()
@Module({})
export class BlobsModule {
  constructor(@Inject(ObjectStore) store: ObjectStore, @Inject(ReadinessChecks) readiness: ReadinessChecks) {
    readiness.add('blobs', () => store.check());
  }

  static forRoot(settings: FilesvcSettings): DynamicModule {
    return {
      module: BlobsModule,
      providers: [
        { provide: FILESVC_SETTINGS, useValue: settings },
        { provide: ObjectStore, useFactory: () => FolderObjectStore.open(blobsFolder(settings)) },
      ],
      exports: [FILESVC_SETTINGS, ObjectStore],
    };
  }
}
