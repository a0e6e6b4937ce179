import { invalid } from '@twinyard/conventions';
import { formatHeader, parseHeader, trimHeader } from '@twinyard/csv';
import { columnNamed, type NamedColumn, refuseClashes, refuseRepeated } from '../file-columns/column-names';
import type { CsvParams } from './csv-params';

/** What becomes a measurement. */
export type CsvColumn = NamedColumn;

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
  refuseRepeated(names);
  const timestamp = columnNamed(names, params.timestampColumn);
  const wanted = params.columns ?? new Map(names.filter((name, index) => index !== timestamp && name !== '').map((name) => [name, name]));
  const fields = [...wanted].map(([name, path]): CsvColumn => ({ index: columnNamed(names, name), name, path: parseHeader(path) }));
  const refused = fields.filter(({ path }) => RESERVED.test(path[0] as string) || path.some((step) => step.startsWith('$')));
  if (refused.length > 0) throw invalid(`A measurement cannot be named ${refused.map(({ path }) => formatHeader(path)).join(', ')}; give it another name with "columns"`);
  refuseClashes(fields, 'measurement');
  return { width: header.length, timestamp, fields, nameless: names.flatMap((name, index) => (name === '' ? [index] : [])) };
}
