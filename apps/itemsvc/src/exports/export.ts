import type { Readable } from 'node:stream';
import contentDisposition from 'content-disposition';
import type { Place } from '../nameditems/item-access';
import type { RowFormat } from '../rows/row';

/** A file on its way out. */
export interface Export {
  readonly format: RowFormat;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Ends what is read for it, whatever that is at. */
  release(): Promise<void>;
}

const TYPES: Readonly<Record<RowFormat, string>> = { ndjson: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8; header=present' };

/** Named for the collection, its version and what of it is in there. */
export const headersOf = ({ item, version }: Place, what: string, format: RowFormat): Readonly<Record<string, string>> => ({
  'content-type': TYPES[format],
  'content-disposition': contentDisposition(`${item._userItemId}-v${version}-${what}.${format}`, { type: 'attachment' }),
  'cache-control': 'no-store',
});
