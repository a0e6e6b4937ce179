/**
 * `npm run openapi`: writes apps/<service>/openapi.json; with `--check` it only tells what is stale. Where the specification lies beside the
 * repository it also prints how much of it stands: that is to be read, and judges nothing.
 */
import { type Documents, staleDocuments, writeDocuments } from './committed-files';
import { describeServices } from './describe-services';
import { coverage, readSpecifiedOperations, type SpecifiedOperation, wrongCodes } from './specified-operations';

async function main(): Promise<number> {
  const documents = await describeServices();
  const rows = readSpecifiedOperations();
  if (rows) compare(documents, rows);
  return process.argv.includes('--check') ? check(documents) : write(documents);
}

function compare(documents: Documents, rows: readonly SpecifiedOperation[]): void {
  for (const { service, held, of } of coverage(documents, rows)) print(`${service.padEnd(16)} ${held} of ${of} specified operations`);
  for (const code of wrongCodes(documents, rows)) print(`another success code: ${code}`);
}

function check(documents: Documents): number {
  const stale = staleDocuments(documents);
  for (const file of stale) print(`stale: ${file} (npm run openapi)`);
  return stale.length === 0 ? 0 : 1;
}

function write(documents: Documents): number {
  writeDocuments(documents);
  return 0;
}

const print = (line: string) => process.stdout.write(`${line}\n`);

void main().then((code) => process.exit(code));
