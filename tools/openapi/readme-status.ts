import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './committed-files';
import type { Coverage } from './specified-operations';

const BEGIN = '<!-- operations: written by `npm run openapi` -->';
const END = '<!-- /operations -->';
const file = () => join(repositoryRoot(), 'README.md');

/** Does README.md say how many of the specified operations stand? */
export const isStatusStale = (rows: readonly Coverage[]) => readFileSync(file(), 'utf8') !== withStatus(rows);

export function writeStatus(rows: readonly Coverage[]): void {
  writeFileSync(file(), withStatus(rows));
}

function withStatus(rows: readonly Coverage[]): string {
  const [before = '', rest = ''] = readFileSync(file(), 'utf8').split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`README.md has lost its marks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n${table(rows)}\n${END}${after}`;
}

function table(rows: readonly Coverage[]): string {
  const sum = (pick: (row: Coverage) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const lines = rows.map(({ service, held, of }) => `| \`${service}\` | ${held} | ${of} |`);
  return ['| Service | Stand | Specified |', '|---|---|---|', ...lines, `| all | ${sum(({ held }) => held)} | ${sum(({ of }) => of)} |`].join('\n');
}
