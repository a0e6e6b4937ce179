// `node dist/apps/filesvc/src/scrub.js …`, with the settings of filesvc; see USAGE.
import { parseArgs } from 'node:util';
import { CombinedObjectStore } from '@twinyard/blobs';
import { loadSettings, withDataSource } from '@twinyard/service-kit';
import { BlobReferencesRepository } from './blob-check/blob-references.repository';
import { scrubBlobs } from './blob-check/scrub-blobs';
import { bytesPerSecondOf, printer } from './blob-check/operator-lines';
import { openStores } from './blob-stores';
import { environment, filesvcSettings } from './config';

const USAGE = `Compares what the database says of versions and pictures with the bytes in the store, while filesvc runs: names what is missing, what is
damaged (its SHA-256 is another), bytes that nobody knows, and uploads in pieces that have not ended. Exits with 0 when all is there, 1 when something is missing or damaged, 2 when it cannot tell.

  scrub
    --only-size        compare sizes alone; nothing is read
    --rate <MiB>       read at most so many MiB a second
    --after <key>      go on behind this key: the last "checkedTo" of a check that was cut off
    --primary          look into the first store alone, while there are two
    --remove-orphans   have the sweep remove what nobody knows, after the longer of UPLOAD_EXPIRY_SECONDS and BLOB_RETENTION_SECONDS
    --json             a JSON object on each line, the sums on the last
`;

const OPTIONS = {
  'only-size': { type: 'boolean', default: false }, rate: { type: 'string' }, after: { type: 'string' }, primary: { type: 'boolean', default: false },
  'remove-orphans': { type: 'boolean', default: false }, json: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const settings = loadSettings(filesvcSettings, environment);
  const report = printer(values.json);
  const limits = { onlySize: values['only-size'], ...bytesPerSecondOf(values.rate), ...(values.after !== undefined && { after: values.after }) };
  const releaseAfterSeconds = Math.max(settings.UPLOAD_EXPIRY_SECONDS, settings.BLOB_RETENTION_SECONDS);
  const release = values['remove-orphans'] ? { releaseAfterSeconds } : {};
  const stores = await openStores(settings);
  return withDataSource({ url: settings.DATABASE_URL }, async (dataSource) => {
    const store = values.primary ? stores[0].store : new CombinedObjectStore(stores);
    const findings = await scrubBlobs(new BlobReferencesRepository(dataSource), store, { report, ...limits, ...release });
    report(findings);
    return findings.missing + findings.damaged > 0 ? 1 : 0;
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  },
);
