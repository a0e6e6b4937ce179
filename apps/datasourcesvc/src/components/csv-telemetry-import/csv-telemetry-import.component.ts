import { invalid } from '@twinyard/conventions';
import { z } from 'zod';
import type { TelemetryItemRecord, WrittenReadings } from '../../platform-client/item-records';
import { defineComponent } from '../component';
import { text } from '../component-params';
import { findSourceFile, sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { csvFileParams, type CsvParams, toCsvParams } from './csv-params';
import { type CheckedFile, checkReadings, type CsvReading, readingBatches } from './csv-readings';

const PARAMS = z.object({
  ...sourceFileParams('The CSV file; its first row names the columns'),
  _userItemId: text('The telemetry collection'),
  _telItemId: text('The telemetry item; this or `_sourceId`').optional(),
  _sourceId: text('The telemetry item by its source').optional(),
  ...csvFileParams.shape,
  onConflict: z.enum(['replace', 'merge', 'keep']).default('replace').meta({
    description: 'Where the item has a reading at an instant already: `replace` it, `merge` the columns of the file into it, or `keep` it',
  }),
});

type Params = z.output<typeof PARAMS>;

export const csvTelemetryImport = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b03',
  name: 'csv_telemetry_import',
  description: 'Reads a CSV file into readings of a telemetry item. A time without a zone is UTC; a file with a bad row imports nothing',
  params: PARAMS,
  faultsOf: ({ _telItemId, _sourceId }) => (_telItemId === undefined && _sourceId === undefined ? [{ field: '_telItemId', issue: 'is required, or _sourceId' }] : []),
  async run(step, params) {
    const { platform, log } = step;
    const reading = toCsvParams(params);
    const item = await findTelemetryItem(step, params);
    const source = await new StepProgress(step).once('source', () => findSourceFile(step, params));
    const file = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => checkReadings(bytes, reading));
    await log('info', `${source.name} has ${file.rows} readings`);
    for (const remark of file.remarks) await log('warn', remark);
    const written = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => writeReadings(step, { params, reading, item, file }, bytes));
    await log('info', `Wrote ${written.readings} readings: ${wordsOf(written.became)}`);
    return {
      _fileId: source.fileId, _fileVersionId: source.fileVersionId, _userItemId: params._userItemId, _telItemId: item._id, _sourceId: item._sourceId,
      counts: { rows: file.rows, readings: written.readings, batches: written.batches, ...figuresOf(written.became) }, ...(written.from && { from: written.from, to: written.to }),
    };
  },
});

async function findTelemetryItem({ platform }: StepContext, { _userItemId, _telItemId: id, _sourceId: sourceId }: Params): Promise<TelemetryItemRecord> {
  const query = { ...(id !== undefined && { _id: id }), ...(sourceId !== undefined && { _sourceId: sourceId }) };
  const { _list: [item] } = await platform.items.findTelemetryItems(_userItemId, query);
  if (item === undefined) throw invalid(`The collection ${_userItemId} has no telemetry item with ${JSON.stringify(query)}`);
  return item;
}

interface Target {
  readonly params: Params;
  readonly reading: CsvParams;
  readonly item: TelemetryItemRecord;
  readonly file: CheckedFile;
}

interface Written {
  readings: number;
  batches: number;
  became: WrittenReadings;
  from?: string;
  to?: string;
}

/** May be done again from the start: the same readings again change nothing (contract 2.7), and what they became is told as the first time. */
async function writeReadings(step: StepContext, { params, reading, item, file }: Target, bytes: AsyncIterable<Uint8Array>): Promise<Written> {
  const written: Written = { readings: 0, batches: 0, became: { _new: 0, _replaced: 0, _merged: 0, _kept: 0 } };
  const metadata = { _telItemId: item._id, _sourceId: item._sourceId };
  for await (const batch of readingBatches(bytes, reading)) {
    const rows = batch.map(({ at, fields }) => ({ ...fields, _ts: at.toISOString(), _tsMetadata: metadata }));
    const became = await step.platform.items.putReadings(params._userItemId, rows, { onConflict: params.onConflict, idempotencyKey: `${step.stepId} ${written.batches}` });
    written.became = sumOf(written.became, became);
    written.readings += batch.length;
    written.batches += 1;
    widen(written, batch);
    await step.report({ _done: written.readings, _total: file.rows });
  }
  return written;
}

const sumOf = (one: WrittenReadings, other: WrittenReadings): WrittenReadings => ({
  _new: one._new + other._new, _replaced: one._replaced + other._replaced, _merged: one._merged + other._merged, _kept: one._kept + other._kept,
});

const figuresOf = ({ _new, _replaced, _merged, _kept }: WrittenReadings) => ({ new: _new, replaced: _replaced, merged: _merged, kept: _kept });

const wordsOf = (written: WrittenReadings) => Object.entries(figuresOf(written)).map(([name, count]) => `${count} ${name}`).join(', ');

/** ISO texts of one form are ordered as their times are. */
function widen(written: Written, batch: readonly CsvReading[]): void {
  for (const { at } of batch) {
    const text = at.toISOString();
    if (written.from === undefined || text < written.from) written.from = text;
    if (written.to === undefined || text > written.to) written.to = text;
  }
}
