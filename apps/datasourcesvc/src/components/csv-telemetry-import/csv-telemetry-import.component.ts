import { invalid, invalidField } from '@twinyard/conventions';
import type { TelemetryItemRecord } from '../../platform-client/item-records';
import type { Component } from '../component';
import { findSourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import { optionalText, requiredText } from '../step-params';
import { StepProgress } from '../step-progress';
import type { CsvReading } from './csv-columns';
import { checkReadings, readingBatches } from './csv-readings';

export const csvTelemetryImport: Component = {
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b03',
  name: 'csv_telemetry_import',
  description: 'Reads a CSV file into readings of a telemetry item. A time without a zone is UTC; a file with a bad row imports nothing',
  parameters: [
    { name: '_fileId', type: 'string', required: true, description: 'The CSV file; its first row names the columns' },
    { name: '_fileVersionId', type: 'string', required: false, description: 'A version of it; else the latest' },
    { name: '_userItemId', type: 'string', required: true, description: 'The telemetry collection' },
    { name: '_telItemId', type: 'string', required: false, description: 'The telemetry item; this or `_sourceId`' },
    { name: '_sourceId', type: 'string', required: false, description: 'The telemetry item by its source' },
    { name: 'timestampColumn', type: 'string', required: false, description: '`timestamp`, if not given' },
    { name: 'columns', type: 'string[] | object', required: false, description: 'The measurements, or an object from column to the name of the measurement; else all columns' },
  ],
  async run(step) {
    const { params, platform, log } = step;
    const userItemId = requiredText(params, '_userItemId');
    const item = await findTelemetryItem(step, userItemId);
    const source = await new StepProgress(step).once('source', () => findSourceFile(step));
    const rows = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => checkReadings(bytes, params));
    await log('info', `${source.name} has ${rows} readings`);
    const written = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => writeReadings(step, userItemId, item, bytes));
    return {
      _fileId: source.fileId, _fileVersionId: source.fileVersionId, _userItemId: userItemId, _telItemId: item._id, _sourceId: item._sourceId,
      counts: { rows, readings: written.readings, batches: written.batches }, ...(written.from && { from: written.from, to: written.to }),
    };
  },
};

async function findTelemetryItem({ params, platform }: StepContext, userItemId: string): Promise<TelemetryItemRecord> {
  const id = optionalText(params, '_telItemId');
  const sourceId = optionalText(params, '_sourceId');
  if (id === undefined && sourceId === undefined) throw invalidField('_telItemId', 'or _sourceId is required');
  const query = { ...(id !== undefined && { _id: id }), ...(sourceId !== undefined && { _sourceId: sourceId }) };
  const { _list: [item] } = await platform.items.findTelemetryItems(userItemId, query);
  if (item === undefined) throw invalid(`The collection ${userItemId} has no telemetry item with ${JSON.stringify(query)}`);
  return item;
}

interface Written {
  readings: number;
  batches: number;
  from?: string;
  to?: string;
}

/** May be done again from the start: the same readings again change nothing (contract 2.7). */
async function writeReadings(step: StepContext, userItemId: string, item: TelemetryItemRecord, bytes: AsyncIterable<Uint8Array>): Promise<Written> {
  const written: Written = { readings: 0, batches: 0 };
  const metadata = { _telItemId: item._id, _sourceId: item._sourceId };
  for await (const batch of readingBatches(bytes, step.params)) {
    await step.platform.items.putReadings(userItemId, batch.map(({ at, fields }) => ({ ...fields, _ts: at.toISOString(), _tsMetadata: metadata })));
    written.readings += batch.length;
    written.batches += 1;
    widen(written, batch);
  }
  return written;
}

/** ISO texts of one form are ordered as their times are. */
function widen(written: Written, batch: readonly CsvReading[]): void {
  for (const { at } of batch) {
    const text = at.toISOString();
    if (written.from === undefined || text < written.from) written.from = text;
    if (written.to === undefined || text > written.to) written.to = text;
  }
}
