import { invalid } from '@twinyard/conventions';
import { CsvFault, type CsvRow, readCsvRows } from '@twinyard/csv';
import { cellReader } from '../file-columns/cell-values';
import { put } from '../file-columns/column-names';
import { ColumnTally } from '../file-columns/column-tally';
import { type CsvColumns, findColumns } from './csv-columns';
import type { CsvParams } from './csv-params';
import { parseReadingTime } from './reading-time';

const BATCH = 1_000;
const MAX_NAMED = 20;

export interface CsvReading {
  readonly at: Date;
  /** Measurements, nested as their paths are. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a file was found to be. */
export interface CheckedFile {
  readonly rows: number;
  /** Sentences for the log: what is odd in the file, and what becomes of it. */
  readonly remarks: readonly string[];
}

/** Reads the whole file and writes nothing: every bad row is found before the first reading is sent. */
export async function checkReadings(bytes: AsyncIterable<Uint8Array>, params: CsvParams): Promise<CheckedFile> {
  const faults: string[] = [];
  let [bad, rows] = [0, 0];
  const reader = new ReadingsReader(params);
  for await (const { line, reading } of reader.read(bytes)) {
    if (typeof reading !== 'string') {
      rows += 1;
      continue;
    }
    bad += 1;
    if (faults.length < MAX_NAMED) faults.push(`line ${line} ${reading}`);
  }
  const more = bad > faults.length ? `; and ${bad - faults.length} more` : '';
  if (bad > 0) throw invalid(`${bad} ${bad === 1 ? 'row is' : 'rows are'} bad and nothing was imported: ${faults.join('; ')}${more}`);
  return { rows, remarks: reader.remarks() };
}

/** Readings of a file that was checked, in batches; of one time within a batch the last counts. */
export async function* readingBatches(bytes: AsyncIterable<Uint8Array>, params: CsvParams): AsyncGenerator<readonly CsvReading[]> {
  let batch = new Map<number, CsvReading>();
  for await (const { line, reading } of new ReadingsReader(params).read(bytes)) {
    if (typeof reading === 'string') throw invalid(`line ${line} ${reading}`);
    batch.set(reading.at.getTime(), reading);
    if (batch.size < BATCH) continue;
    yield [...batch.values()];
    batch = new Map();
  }
  if (batch.size > 0) yield [...batch.values()];
}

/** A text says what is wrong with the row. */
interface RowReading {
  readonly line: number;
  readonly reading: CsvReading | string;
}

/** Reads one file: its header first, then each row as a reading, or as what is wrong with it. */
class ReadingsReader {
  private columns: CsvColumns | undefined;
  private tallies: readonly ColumnTally[] = [];
  private readonly valueOf;

  constructor(private readonly params: CsvParams) {
    this.valueOf = cellReader(params);
  }

  async *read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<RowReading> {
    try {
      for await (const rows of readCsvRows(bytes, this.params)) yield* this.toReadings(rows);
    } catch (error) {
      throw error instanceof CsvFault ? invalid(`The file is not CSV: ${error.message}`) : error;
    }
    if (this.columns === undefined) throw invalid('The file is empty');
  }

  remarks(): string[] {
    const missing = this.tallies.reduce((sum, tally) => sum + tally.missing, 0);
    return [...(missing > 0 ? [`${missing} cells hold no value and are left out`] : []), ...this.tallies.flatMap((tally) => tally.remarks())];
  }

  private *toReadings(rows: readonly CsvRow[]): Generator<RowReading> {
    for (const row of rows) {
      if (this.columns === undefined) this.takeHeader(row);
      else yield { line: row.line, reading: row.fault ?? this.toReading(row.line, row.cells, this.columns) };
    }
  }

  private takeHeader(row: CsvRow): void {
    if (row.fault !== undefined) throw invalid(`line ${row.line} ${row.fault}`);
    this.columns = findColumns(row.cells, this.params);
    this.tallies = this.columns.fields.map((column) => new ColumnTally(column));
  }

  private toReading(line: number, cells: readonly string[], { width, timestamp, fields, nameless }: CsvColumns): CsvReading | string {
    if (cells.length !== width) return `has ${cells.length} columns instead of ${width}`;
    const text = cells[timestamp] as string;
    const at = parseReadingTime(text);
    if (at === undefined) return `${JSON.stringify(text.slice(0, 50))} is no date and time`;
    const unnamed = nameless.find((index) => (cells[index] as string).trim() !== '');
    if (unnamed !== undefined) return `has data in column ${unnamed + 1}, which has no name`;
    if (cells.some((cell) => cell.includes('\0'))) return 'holds a NUL character';
    const values: Record<string, unknown> = {};
    for (const [position, { index, path }] of fields.entries()) {
      const value = this.valueOf(cells[index] as string);
      (this.tallies[position] as ColumnTally).take(value, line);
      if (value.kind !== 'missing') put(values, path, value.value);
    }
    return { at, fields: values };
  }
}
