import type { RequestContext } from '@twinyard/auth';
import type { FinishRequest, HoldRequest, ReportProgress } from '@twinyard/jobs';
import type { Place } from '../nameditems/item-access';
import { readCsv } from '../rows/csv-rows';
import { readNdjson } from '../rows/ndjson-rows';
import type { Row } from '../rows/row';
import { TEXTS_OF_READINGS, textsOfItems } from '../rows/text-columns';
import type { ImportRecord } from './import';
import type { RowKind } from './row-kinds';

/** One import in the hands of a worker. */
export interface ImportWork {
  readonly ctx: RequestContext;
  readonly record: ImportRecord;
  readonly place: Place;
  readonly kind: RowKind;
  readonly finish: FinishRequest;
  readonly report: ReportProgress;
  /** In every transaction before the one that `finish` ends. */
  readonly hold: HoldRequest;
}

/** The rows of a file behind a line. */
export function rowsOf(chunks: AsyncIterable<Buffer>, { kind, format, form }: ImportRecord, { item }: Place, after: number): AsyncGenerator<readonly Row[], void> {
  if (format === 'ndjson') return readNdjson(chunks, after);
  return readCsv(chunks, kind === 'readings' ? TEXTS_OF_READINGS : textsOfItems(item._itemClass), { after, ...(form && { form }) });
}

/** Never less than what is done: nobody knows how many rows of a file are empty ones. */
export const progressOf = ({ total }: ImportRecord, done: number) => ({ done, ...(total !== undefined && { total: Math.max(total, done) }) });
