/** `npm run openapi`: writes apps/<service>/openapi.json and the table of README.md; with `--check` it only tells what is stale. */
import { type Documents, staleDocuments, writeDocuments } from './committed-files';
import { describeServices } from './describe-services';
import { isStatusStale, writeStatus } from './readme-status';
import { type Coverage, coverage, readSpecifiedOperations, wrongCodes } from './specified-operations';

async function main(): Promise<number> {
  const documents = await describeServices();
  const rows = readSpecifiedOperations();
  const held = rows && coverage(documents, rows);
  if (rows && held) compare(held, wrongCodes(documents, rows));
  return process.argv.includes('--check') ? check(documents, held) : write(documents, held);
}

function compare(held: readonly Coverage[], faults: readonly string[]): void {
  for (const { service, held: count, of } of held) print(`${service.padEnd(16)} ${count} of ${of} specified operations`);
  for (const fault of faults) print(`wrong success code: ${fault}`);
}

function check(documents: Documents, held: readonly Coverage[] | undefined): number {
  const stale = [...staleDocuments(documents), ...(held && isStatusStale(held) ? ['README.md'] : [])];
  for (const file of stale) print(`stale: ${file} (npm run openapi)`);
  return stale.length === 0 ? 0 : 1;
}

function write(documents: Documents, held: readonly Coverage[] | undefined): number {
  writeDocuments(documents);
  if (held) writeStatus(held);
  return 0;
}

const print = (line: string) => process.stdout.write(`${line}\n`);

void main().then((code) => process.exit(code));
