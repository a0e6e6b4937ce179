// `node dist/apps/filesvc/src/check-blobs.js [--release-unknown]`, with the settings of filesvc; see USAGE.
import { parseArgs } from 'node:util';
import { createDataSource, loadSettings } from '@twinyard/service-kit';
import { BlobReferencesRepository } from './blob-check/blob-references.repository';
import { checkBlobs } from './blob-check/check-blobs';
import { openStore } from './blobs.module';
import { environment, filesvcSettings } from './config';

const USAGE = `Compares the versions in the database with the bytes in the store, while filesvc runs. Exits with 1 when bytes are missing.

  check-blobs                    names versions without bytes, and bytes that no version has
  check-blobs --release-unknown  and has the sweep remove the latter after UPLOAD_EXPIRY_SECONDS
`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { 'release-unknown': { type: 'boolean', default: false } } });
  const settings = loadSettings(filesvcSettings, environment);
  const dataSource = await createDataSource({ url: settings.DATABASE_URL, entities: [], migrations: [], poolSize: 1 }).initialize();
  try {
    const report = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
    const release = values['release-unknown'] ? { releaseAfterSeconds: settings.UPLOAD_EXPIRY_SECONDS } : {};
    const findings = await checkBlobs(new BlobReferencesRepository(dataSource), await openStore(settings), { report, ...release });
    report(findings);
    return findings.missing > 0 ? 1 : 0;
  } finally {
    await dataSource.destroy();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  },
);
