// `node dist/apps/filesvc/src/copy-store.js …`, with the settings of filesvc; see USAGE.
import { parseArgs } from 'node:util';
import { loadSettings, withDataSource } from '@twinyard/service-kit';
import { BlobReferencesRepository } from './blob-check/blob-references.repository';
import { bytesPerSecondOf, printer } from './blob-check/operator-lines';
import { type CopyFindings, CopyStore } from './blob-copy/copy-store';
import { openStores } from './blob-stores';
import { environment, filesvcSettings } from './config';

const USAGE = `Copies the bytes of all files from the second store (BLOBS_SECONDARY_DIR, S3_SECONDARY_ENDPOINT) to the first, while filesvc serves from both; each
is compared with its SHA-256 when it is read and again when it was written. May be cut off and begun again. See docs/operations/moving-blobs.md.
Exits with 0 when everything is in the first store, 1 when something is missing or damaged, 2 when it cannot tell, 3 when uploads in pieces
go on in the second: then run it again later.

  copy-store
    --rate <MiB>   read at most so many MiB a second
    --json         a JSON object on each line, the sums on the last
`;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rate: { type: 'string' }, json: { type: 'boolean', default: false } } });
  const settings = loadSettings(filesvcSettings, environment);
  const [to, from] = await openStores(settings);
  if (from === undefined || from.name === to.name) throw new Error('there is no second store to copy from');
  const report = printer(values.json);
  return withDataSource({ url: settings.DATABASE_URL, poolSize: 4 }, async (dataSource) => {
    const options = { from, to, ...bytesPerSecondOf(values.rate), releaseAfterSeconds: settings.UPLOAD_EXPIRY_SECONDS, report };
    report({ from: from.name, to: to.name });
    const findings = await new CopyStore(new BlobReferencesRepository(dataSource), options).run();
    report(findings);
    return exitCodeOf(findings);
  });
}

function exitCodeOf({ missing, damaged, miswritten, unfinished }: CopyFindings): number {
  if (missing + damaged + miswritten > 0) return 1;
  return unfinished.count > 0 ? 3 : 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  },
);
