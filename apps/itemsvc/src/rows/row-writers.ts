import { limitExceeded } from '@twinyard/conventions';
import { stringify } from 'csv-stringify/sync';
import { isObject } from '../storage/filters';
import { encodeCell, encodeTextCell } from './csv-cell';
import { formatHeader } from './csv-header';

/** A spreadsheet has 16,384. */
const MAX_COLUMNS = 10_000;

type Documents = readonly Readonly<Record<string, unknown>>[];

export const toNdjson = (documents: Documents): string => documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** Finds the columns that documents need, and writes them in these. */
export class CsvWriter {
  /** Headers in the order in which they are met; `_id` leads. */
  private readonly headers = new Set<string>();

  constructor(private readonly texts: ReadonlySet<string>) {}

  learn(documents: Documents): void {
    for (const document of documents) for (const [header] of leavesOf(document)) this.headers.add(header);
    if (this.headers.size > MAX_COLUMNS) throw limitExceeded(`The documents have more than ${MAX_COLUMNS} columns; name some in project`);
  }

  header(): string {
    return this.headers.size === 0 ? '' : toLines([this.columns]);
  }

  lines(documents: Documents): string {
    return toLines(documents.map((document) => {
      const leaves = new Map(leavesOf(document));
      return this.columns.map((header) => (this.texts.has(header) ? encodeTextCell(leaves.get(header)) : encodeCell(leaves.get(header))));
    }));
  }

  private get columns(): readonly string[] {
    return [...this.headers].sort((a, b) => Number(b === '_id') - Number(a === '_id'));
  }
}

/** Cells with line ends of any kind, or spaces at their ends, stand in quotes. */
const toLines = (rows: readonly (readonly string[])[]) => stringify(rows as string[][], { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ });

/** What gets a cell of its own: all but objects that hold something. */
function* leavesOf(value: Readonly<Record<string, unknown>>, path: readonly string[] = []): Generator<[header: string, value: unknown]> {
  for (const [name, child] of Object.entries(value)) {
    const at = [...path, name];
    if (isObject(child) && Object.keys(child).length > 0) yield* leavesOf(child, at);
    else yield [formatHeader(at), child];
  }
}
