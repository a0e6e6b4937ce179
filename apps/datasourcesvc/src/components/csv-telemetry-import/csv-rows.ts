import { invalid } from '@twinyard/conventions';
import { CsvError, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface CsvRow {
  /** Of the file, from 1; of a row over several lines the last. */
  readonly line: number;
  readonly cells: readonly string[];
}

const MAX_ROW_LENGTH = 1_000_000;

/** RFC 4180, the header among the rows. Empty lines are passed over. A quote that never ends: `invalid`. */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow> {
  const parser = parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: MAX_ROW_LENGTH });
  // A failure of the source reaches whoever reads the parser.
  const flow = pipeline(Readable.from(bytes), parser).catch(() => undefined);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    throw error instanceof CsvError ? invalid(`The file is not CSV: ${error.message}`) : error;
  } finally {
    parser.destroy();
    await flow;
  }
}
