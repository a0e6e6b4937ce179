import { invalid } from '@twinyard/conventions';
import { type CsvColumns, type CsvReading, findColumns, toReading } from './csv-columns';
import { type CsvRow, csvRows } from './csv-rows';
import type { StepParams } from '../step-params';

const BATCH = 1_000;
const MAX_NAMED = 20;

/** Reads the whole file and writes nothing: every bad row is found before the first reading is sent. The number of good ones. */
export async function checkReadings(bytes: AsyncIterable<Uint8Array>, params: StepParams): Promise<number> {
  const faults: string[] = [];
  let [bad, good] = [0, 0];
  for await (const { row, columns } of rowsUnderHeader(bytes, params)) {
    const reading = toReading(row, columns);
    if (typeof reading !== 'string') {
      good += 1;
      continue;
    }
    bad += 1;
    if (faults.length < MAX_NAMED) faults.push(`line ${row.line} ${reading}`);
  }
  const more = bad > faults.length ? `; and ${bad - faults.length} more` : '';
  if (bad > 0) throw invalid(`${bad} ${bad === 1 ? 'row is' : 'rows are'} bad and nothing was imported: ${faults.join('; ')}${more}`);
  return good;
}

/** Readings of a file that was checked, in batches; of one time within a batch the last counts. */
export async function* readingBatches(bytes: AsyncIterable<Uint8Array>, params: StepParams): AsyncGenerator<readonly CsvReading[]> {
  let batch = new Map<number, CsvReading>();
  for await (const { row, columns } of rowsUnderHeader(bytes, params)) {
    const reading = toReading(row, columns);
    if (typeof reading === 'string') throw invalid(`line ${row.line} ${reading}`);
    batch.set(reading.at.getTime(), reading);
    if (batch.size < BATCH) continue;
    yield [...batch.values()];
    batch = new Map();
  }
  if (batch.size > 0) yield [...batch.values()];
}

async function* rowsUnderHeader(bytes: AsyncIterable<Uint8Array>, params: StepParams): AsyncGenerator<{ row: CsvRow; columns: CsvColumns }> {
  let columns: CsvColumns | undefined;
  for await (const row of csvRows(bytes)) {
    if (columns === undefined) columns = findColumns(row.cells, params);
    else yield { row, columns };
  }
  if (columns === undefined) throw invalid('The file is empty');
}
