import { invalid, invalidField } from '@twinyard/conventions';
import type { TelemetryItemRecord, WrittenReadings } from '../../platform-client/item-records';
import type { Component } from '../component';
import { findSourceFile } from '../source-file';
import type { StepContext } from '../step-context';
import { optionalText, requiredText, type StepParams } from '../step-params';
import { StepProgress } from '../step-progress';
import { type CheckedFile, checkReadings, type CsvReading, readingBatches } from './csv-readings';

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
    { name: 'columns', type: 'string[] | object', required: false, description: 'The measurements, or an object from column to the path of the measurement (`a.b` is `b` inside `a`); else all columns' },
    { name: 'encoding', type: 'string', required: false, description: '`windows-1252`, `iso-8859-15`, …; else UTF-8, or UTF-16 with its byte order mark' },
    { name: 'delimiter', type: 'string', required: false, description: 'Else the one of `,` `;` tab `|` that the header and the first row have' },
    { name: 'decimalSeparator', type: 'string', required: false, description: '`.`, if not given; where it is `,` thousands may have dots' },
    { name: 'onConflict', type: 'string', required: false, description: 'Where the item has a reading at an instant already: `replace` it (if not given), `merge` the columns of the file into it, or `keep` it' },
    { name: 'missingValues', type: 'string[]', required: false, description: 'Cells that hold no value beside the empty ones; else `NaN`, `nan`, `NA`, `N/A`, `#N/A`, `null`, `NULL`, `-`' },
  ],
  async run(step) {
    const { params, platform, log } = step;
    const userItemId = requiredText(params, '_userItemId');
    const onConflict = conflictRuleOf(params);
    const item = await findTelemetryItem(step, userItemId);
    const source = await new StepProgress(step).once('source', () => findSourceFile(step));
    const file = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => checkReadings(bytes, params));
    await log('info', `${source.name} has ${file.rows} readings`);
    for (const remark of file.remarks) await log('warn', remark);
    const written = await platform.files.readThrough(source.fileId, source.fileVersionId, (bytes) => writeReadings(step, { userItemId, item, file, onConflict }, bytes));
    await log('info', `Wrote ${written.readings} readings: ${wordsOf(written.became)}`);
    return {
      _fileId: source.fileId, _fileVersionId: source.fileVersionId, _userItemId: userItemId, _telItemId: item._id, _sourceId: item._sourceId,
      counts: { rows: file.rows, readings: written.readings, batches: written.batches, ...figuresOf(written.became) }, ...(written.from && { from: written.from, to: written.to }),
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

interface Target {
  readonly userItemId: string;
  readonly item: TelemetryItemRecord;
  readonly file: CheckedFile;
  readonly onConflict: string;
}

interface Written {
  readings: number;
  batches: number;
  became: WrittenReadings;
  from?: string;
  to?: string;
}

/** May be done again from the start: the same readings again change nothing (contract 2.7). */
async function writeReadings(step: StepContext, { userItemId, item, file, onConflict }: Target, bytes: AsyncIterable<Uint8Array>): Promise<Written> {
  const written: Written = { readings: 0, batches: 0, became: { _new: 0, _replaced: 0, _merged: 0, _kept: 0 } };
  const metadata = { _telItemId: item._id, _sourceId: item._sourceId };
  for await (const batch of readingBatches(bytes, step.params)) {
    const became = await step.platform.items.putReadings(userItemId, batch.map(({ at, fields }) => ({ ...fields, _ts: at.toISOString(), _tsMetadata: metadata })), onConflict);
    written.became = sumOf(written.became, became);
    written.readings += batch.length;
    written.batches += 1;
    widen(written, batch);
    await step.report({ _done: written.readings, _total: file.rows });
  }
  return written;
}

const RULES = ['replace', 'merge', 'keep'];

function conflictRuleOf(params: StepParams): string {
  const rule = optionalText(params, 'onConflict') ?? 'replace';
  if (!RULES.includes(rule)) throw invalidField('onConflict', `must be ${RULES.join(', ')}`);
  return rule;
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
