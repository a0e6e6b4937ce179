import { limitExceeded, mapInTurns, type Turn } from '@twinyard/conventions';
import { encodeCell, encodeTextCell, formatHeader } from '@twinyard/csv';
import { stringify } from 'csv-stringify/sync';
import { isObject } from '../storage/filters';
import type { TextColumns } from './text-columns';

/** A spreadsheet has 16,384. */
const MAX_COLUMNS = 10_000;

type Document = Readonly<Record<string, unknown>>;
type Documents = readonly Document[];

export const toNdjson = async (documents: Documents, turn: Turn): Promise<string> => (await mapInTurns(documents, (document) => `${JSON.stringify(document)}\n`, turn)).join('');

/** A step of a path, and where its column stands when it leads to values. */
interface Step {
  readonly path: readonly string[];
  readonly next: Map<string, Step>;
  column?: { readonly header: string; readonly encode: (value: unknown) => string; at: number };
}

/** Finds the columns that documents need, and writes them in these. */
export class CsvWriter {
  private readonly root: Step = { path: [], next: new Map() };
  /** In the order in which they are met. */
  private readonly columns: NonNullable<Step['column']>[] = [];

  constructor(private readonly texts: TextColumns) {}

  learn(documents: Documents): void {
    for (const document of documents) this.learnFrom(this.root, document);
    if (this.columns.length > MAX_COLUMNS) throw limitExceeded(`The documents have more than ${MAX_COLUMNS} columns; name some in project`, 'project');
  }

  /** `_id` leads. Nothing is learnt afterwards. */
  header(): string {
    this.columns.sort((a, b) => Number(b.header === '_id') - Number(a.header === '_id'));
    for (const [at, column] of this.columns.entries()) column.at = at;
    return this.columns.length === 0 ? '' : toLines([this.columns.map(({ header }) => header)]);
  }

  lines(documents: Documents): string {
    return toLines(documents.map((document) => {
      const cells = new Array<string>(this.columns.length).fill('');
      fill(cells, this.root, document);
      return cells;
    }));
  }

  /** A document has the paths of the one before, mostly: each is formatted once. */
  private learnFrom(step: Step, value: Document): void {
    for (const name of Object.keys(value)) {
      const child = value[name];
      const next = step.next.get(name) ?? stepTo(step, name);
      if (isBranch(child)) this.learnFrom(next, child);
      else next.column ??= this.column(formatHeader(next.path));
    }
  }

  private column(header: string): NonNullable<Step['column']> {
    const column = { header, encode: this.texts.has(header) ? encodeTextCell : encodeCell, at: this.columns.length };
    this.columns.push(column);
    return column;
  }
}

function stepTo(from: Step, name: string): Step {
  const step: Step = { path: [...from.path, name], next: new Map() };
  from.next.set(name, step);
  return step;
}

function fill(cells: string[], step: Step, value: Document): void {
  for (const name of Object.keys(value)) {
    const next = step.next.get(name);
    const child = value[name];
    if (next === undefined) continue;
    if (isBranch(child)) fill(cells, next, child);
    else if (next.column) cells[next.column.at] = next.column.encode(child);
  }
}

/** Cells with line ends of any kind, or spaces at their ends, stand in quotes. */
const toLines = (rows: readonly (readonly string[])[]) => stringify(rows as string[][], { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ });

/** All but objects that hold something get a cell of their own. */
const isBranch = (value: unknown): value is Document => isObject(value) && Object.keys(value).length > 0;
