import { invalid } from '@twinyard/conventions';
import type { AnswerTerms } from '../../script';
import { parsedJson } from '../../threads/json-of-scripts';
import { Numbered } from './numbered';
import { type ReadTable, ROW_BYTES, type ScriptTables, type WrittenTable } from './script-tables';
import { type TableFormat, toCsvText, toFormatted, toTableId, toTablePart, toTableSource, toTableTarget } from './table-questions';

const READ_ON = 'Read one to its end, leave its loop by break, or call return() of its rows, before the next is read';

/** What belongs to a call that writes a file, and is none by itself. */
export const PARTS_OF_WRITING: readonly string[] = ['createTable', 'writeTable', 'finishTable', 'closeTable'];

/**
 * Tables that one script reads and writes row by row. Each that is open holds some memory, and a workbook one of few places: tools/deployment/resources.ts counts
 * them, and none outlives its script.
 */
export class OpenTables {
  /** When the script ended: files that it had begun to write, and had not finished. */
  abandoned = 0;
  private readonly read: Readonly<Record<TableFormat, Numbered<ReadTable>>> = {
    csv: new Numbered(4, `Four CSV files are open already. ${READ_ON}`),
    xlsx: new Numbered(1, `Another workbook is open. ${READ_ON}`),
  };
  private readonly written = new Numbered<WrittenTable>(2, 'Two files are being written already. Wait for one of them before the next is begun');
  private last = 0;
  private hearsEnd = false;

  constructor(private readonly host: ScriptTables) {}

  async answer(name: string, asked: unknown, terms: AnswerTerms): Promise<unknown> {
    switch (name) {
      case 'openTable': return this.open(asked, terms);
      case 'readTable': return this.next(asked, terms);
      case 'parseTable': return this.parse(asked, terms);
      case 'createTable': return this.create(asked, terms);
      case 'writeTable': return this.append(asked);
      case 'finishTable': return this.finish(asked);
      case 'formatTable': return this.format(asked, terms);
      case 'closeTable': return this.close(toTableId(asked));
      default: throw invalid('There is no such question');
    }
  }

  /** When the script has ended, however that came. */
  async closeAll(): Promise<void> {
    await Promise.all([this.read.csv, this.read.xlsx, this.written].map((tables) => tables.closeAll()));
  }

  private async open(asked: unknown, terms: AnswerTerms): Promise<unknown> {
    const source = toTableSource(asked);
    const id = (this.last += 1);
    await this.read[source.format].add(id, () => this.host.open(source, terms));
    return { id };
  }

  private async next(asked: unknown, { takeRoom }: AnswerTerms): Promise<unknown> {
    const id = toTableId(asked);
    await takeRoom(ROW_BYTES);
    const json = await this.read[this.read.xlsx.has(id) ? 'xlsx' : 'csv'].use(id, (table) => table.next());
    return { json };
  }

  private async parse(asked: unknown, { takeRoom }: AnswerTerms): Promise<unknown> {
    await takeRoom(Number.POSITIVE_INFINITY);
    return { json: await this.host.parse(toCsvText(asked)) };
  }

  private async create(asked: unknown, terms: AnswerTerms): Promise<unknown> {
    const target = toTableTarget(asked);
    const id = (this.last += 1);
    this.hearEndBy(terms.signal);
    await this.written.add(id, () => this.host.create(target, terms));
    return { id };
  }

  /** The same signal for all that a script asks. */
  private hearEndBy(signal: AbortSignal): void {
    if (!this.hearsEnd) signal.addEventListener('abort', () => (this.abandoned = this.written.size), { once: true });
    this.hearsEnd = true;
  }

  private async append(asked: unknown): Promise<void> {
    const { id, json } = toTablePart(asked);
    await this.written.use(id, (table) => table.append(rowsIn(json)));
  }

  private async finish(asked: unknown): Promise<unknown> {
    const id = toTableId(asked);
    const file = await this.written.use(id, (table) => table.finish());
    await this.written.close(id);
    return file;
  }

  private async format(asked: unknown, { takeRoom }: AnswerTerms): Promise<unknown> {
    const { json, options } = toFormatted(asked);
    await takeRoom(Number.POSITIVE_INFINITY);
    return { text: await this.host.format(rowsIn(json), options) };
  }

  private async close(id: number): Promise<void> {
    await Promise.all([this.read.csv, this.read.xlsx, this.written].map((tables) => tables.close(id)));
  }
}

function rowsIn(json: string): readonly unknown[] {
  const rows = arrayIn(json);
  if (rows === undefined) throw invalid('json: must be JSON of an array');
  return rows;
}

function arrayIn(json: string): readonly unknown[] | undefined {
  try {
    const rows = parsedJson(json);
    return Array.isArray(rows) ? rows : undefined;
  } catch {
    return undefined;
  }
}
