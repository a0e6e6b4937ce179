import { invalid, invalidField } from '@twinyard/conventions';
import { type StepParams, optionalText } from '../step-params';
import type { CsvRow } from './csv-rows';
import { parseReadingTime } from './reading-time';

/** Which column becomes what. */
export interface CsvColumns {
  readonly width: number;
  readonly timestamp: number;
  readonly fields: readonly { readonly index: number; readonly field: string }[];
}

export interface CsvReading {
  readonly at: Date;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** Names that a reading cannot give to a measurement (contracts 2.3, 2.7). */
const RESERVED = /^(\$.*|_id|_ts|_tsMetadata|_metadata|__proto__|constructor|prototype)$/;

export function findColumns(header: readonly string[], params: StepParams): CsvColumns {
  const names = header.map((name) => name.trim());
  const timestampName = optionalText(params, 'timestampColumn') ?? 'timestamp';
  const timestamp = names.indexOf(timestampName);
  if (timestamp < 0) throw invalid(`The file has no column ${JSON.stringify(timestampName)}; it has ${names.join(', ')}`);
  const wanted = wantedColumns(params['columns'], names.filter((name, index) => index !== timestamp && name !== ''));
  const fields = [...wanted].map(([column, field]) => ({ index: names.indexOf(column), field }));
  const unknown = [...wanted.keys()].filter((column) => !names.includes(column));
  if (unknown.length > 0) throw invalid(`The file has no column ${unknown.map((name) => JSON.stringify(name)).join(', ')}; it has ${names.join(', ')}`);
  const refused = fields.filter(({ field }) => RESERVED.test(field));
  if (refused.length > 0) throw invalid(`A measurement cannot be named ${refused.map(({ field }) => field).join(', ')}; give it another name with "columns"`);
  return { width: header.length, timestamp, fields };
}

/** An array of columns, or an object from column to the measurement's name; all columns when it is missing. */
function wantedColumns(columns: unknown, all: readonly string[]): ReadonlyMap<string, string> {
  if (columns === undefined || columns === null) return new Map(all.map((name) => [name, name]));
  const pairs = Array.isArray(columns) ? columns.map((name: unknown) => [name, name]) : Object.entries(columns as object);
  const isNamed = ([column, field]: unknown[]) => typeof column === 'string' && typeof field === 'string' && field !== '';
  if (typeof columns !== 'object' || pairs.length === 0 || !pairs.every(isNamed)) {
    throw invalidField('columns', 'must be an array of columns, or an object from column to measurement');
  }
  return new Map(pairs as [string, string][]);
}

/** A text says what is wrong with the row. */
export function toReading({ cells }: CsvRow, columns: CsvColumns): CsvReading | string {
  if (cells.length !== columns.width) return `has ${cells.length} columns instead of ${columns.width}`;
  const text = cells[columns.timestamp] as string;
  const at = parseReadingTime(text);
  if (at === undefined) return `${JSON.stringify(text.slice(0, 50))} is no date and time`;
  const values = columns.fields.map(({ index, field }): [string, string] => [field, (cells[index] as string).trim()]);
  if (values.some(([, value]) => value.includes('\0'))) return 'holds a NUL character';
  return { at, fields: Object.fromEntries(values.filter(([, value]) => value !== '').map(([field, value]) => [field, toValue(value)])) };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toValue(text: string): string | number {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}
