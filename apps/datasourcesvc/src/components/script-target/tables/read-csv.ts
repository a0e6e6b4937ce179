import type { CsvReading } from '@twinyard/scripts';
import { missingOf } from '../../file-columns/column-params';
import { plainHeader } from '../../tables/csv-lines';
import { csvForm, csvRows } from '../../tables/csv-table';
import { rowBatches, ScriptRows } from './read-rows';

/** A file with longer ones is read as a text. */
const MAX_ROW_BYTES = 1_048_576;

export interface CsvOrder {
  readonly reading: CsvReading;
  readonly encoding?: string | undefined;
  readonly signal?: AbortSignal;
  readonly most?: number;
}

/** Rows of CSV for a script, as JSON. */
export function csvBatches(bytes: AsyncIterable<Uint8Array>, { reading, encoding, ...terms }: CsvOrder): AsyncGenerator<string, void> {
  const { delimiter, decimalSeparator, missingValues } = reading;
  const dialect = { ...(encoding !== undefined && { encoding }), ...(delimiter !== undefined && { delimiter }) };
  const rows = new ScriptRows(csvForm({ decimalSeparator, missing: missingOf(missingValues) }), reading, plainHeader);
  return rowBatches(csvRows(bytes, dialect, MAX_ROW_BYTES), rows, terms);
}
