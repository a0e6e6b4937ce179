import { describeObjectStore } from '../src/contract-suite/describe-object-store';
import { engineSettings, onEngine } from '@twinyard/testing';
import { openS3, s3Options } from './s3-store-under-test';

for (const engine of ['versitygw', 'minio'] as const) {
  onEngine(engine, () => {
    describeObjectStore('S3', async () => ({
      store: await openS3(s3Options(engineSettings(engine))),
      isAddressable: true,
      close: async () => undefined,
    }));
  });
}
