import { describeObjectStore } from '@twinyard/blobs';
import { engineSettings } from '@twinyard/testing';
import { openS3, s3Options } from './s3-store-under-test';

describe.each(['versitygw', 'minio'] as const)('on %s', (engine) => {
  describeObjectStore(`S3 (${engine})`, async () => ({
    store: await openS3(s3Options(engineSettings(engine))),
    isAddressable: true,
    close: async () => undefined,
  }));
});
