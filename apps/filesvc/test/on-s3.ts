import { randomUUID } from 'node:crypto';
import { type EngineName, engineSettings, onEngine } from '@twinyard/testing';
import { FilesvcUnderTest } from './filesvc-under-test';

/** Runs specs of the whole service, unchanged, with the blobs in this S3. */
export function runOnS3(engine: EngineName, specs: readonly string[]): void {
  onEngine(engine, () => {
    beforeAll(() => {
      FilesvcUnderTest.store = () => s3SettingsOf(engineSettings(engine));
    });
    for (const spec of specs) jest.requireActual(spec);
  });
}

/** Of an engine, with a bucket of its own. */
export const s3SettingsOf = (settings: Readonly<Record<string, string>>) => ({
  S3_ENDPOINT: settings['S3_ENDPOINT'] ?? '',
  S3_BUCKET: `filesvc-${randomUUID()}`,
  S3_REGION: settings['S3_REGION'] ?? '',
  S3_ACCESS_KEY: settings['S3_ACCESS_KEY'] ?? '',
  S3_SECRET_KEY: settings['S3_SECRET_KEY'] ?? '',
  S3_PATH_STYLE: settings['S3_PATH_STYLE'] === 'false' ? ('false' as const) : ('true' as const),
});
