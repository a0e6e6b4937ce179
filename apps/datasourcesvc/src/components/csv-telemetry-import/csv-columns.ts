import { invalid } from '@twinyard/conventions';
import { formatHeader, parseHeader, trimHeader } from '@twinyard/csv';
import type { CsvParams } from './csv-params';

export interface CsvColumn {
  /** Of the header, from 0. */
  readonly index: number;
  /** As the header has it. */
  readonly name: string;
  /** Where the value goes in a reading. */
  readonly path: readonly string[];
}

/** Which column becomes what. */
export interface CsvColumns {
  readonly width: number;
  readonly timestamp: number;
  readonly fields: readonly CsvColumn[];
  /** Columns without a name, which may hold nothing. */
  readonly nameless: readonly number[];
}

/** Names that a reading cannot give to a measurement (contracts 2.3, 2.7). */
const RESERVED = /^(\$.*|_id|_ts|_tsMetadata|_metadata)$/;

export function findColumns(header: readonly string[], params: CsvParams): CsvColumns {
  const names = header.map(trimHeader);
  refuseTwice(names);
  const timestamp = indexOf(names, params.timestampColumn);
  const wanted = params.columns ?? new Map(names.filter((name, index) => index !== timestamp && name !== '').map((name) => [name, name]));
  const fields = [...wanted].map(([name, path]): CsvColumn => ({ index: indexOf(names, name), name, path: parseHeader(path) }));
  const refused = fields.filter(({ path }) => RESERVED.test(path[0] as string) || path.some((step) => step.startsWith('$')));
  if (refused.length > 0) throw invalid(`A measurement cannot be named ${refused.map(({ path }) => formatHeader(path)).join(', ')}; give it another name with "columns"`);
  refuseClashes(fields);
  return { width: header.length, timestamp, fields, nameless: names.flatMap((name, index) => (name === '' ? [index] : [])) };
}

function indexOf(names: readonly string[], name: string): number {
  const index = names.indexOf(name);
  if (index < 0) throw invalid(`The file has no column ${JSON.stringify(name)}; it has ${names.join(', ')}`);
  return index;
}

function refuseTwice(names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (name !== '' && first < index) throw invalid(`The file has two columns named ${JSON.stringify(name)}: the ${first + 1}. and the ${index + 1}.`);
  }
}

/** Two columns for one measurement, or one inside the value of another. */
function refuseClashes(fields: readonly CsvColumn[]): void {
  const leaves = new Map<string, string>();
  for (const { name, path } of fields) {
    const other = leaves.get(formatHeader(path));
    if (other !== undefined) throw invalid(`The columns ${JSON.stringify(other)} and ${JSON.stringify(name)} become one measurement, ${formatHeader(path)}; give one of them another name with "columns"`);
    leaves.set(formatHeader(path), name);
  }
  for (const { name, path } of fields) {
    const outer = path.slice(0, -1).map((_, length) => formatHeader(path.slice(0, length + 1))).find((prefix) => leaves.has(prefix));
    if (outer !== undefined) throw invalid(`The column ${JSON.stringify(name)} would stand inside the value of ${JSON.stringify(leaves.get(outer))}; give one of them another name with "columns"`);
  }
}
