import { Readable } from 'node:stream';
import { Turn } from '@twinyard/conventions';
import type { RowFormat } from '../rows/row';
import { CsvWriter, toNdjson } from '../rows/row-writers';
import type { TextColumns } from '../rows/text-columns';
import type { RowParts, TextParts } from './exported-rows.repository';

/** Characters that are written at once. */
const PIECE = 2 ** 20;

export interface RowSource {
  /** The same rows each time. */
  rows(): RowParts;
  /** The same as JSON, where the store's own is what is shown. */
  texts?(): TextParts;
  readonly format: RowFormat;
  readonly columns: TextColumns;
  /** When the rows are out, or nobody wants them any more. */
  release(): Promise<void>;
}

/**
 * Rows as the text of a file, read as fast as somebody takes it. Begun before it is answered: what is wrong with the query is told with a
 * status, not by a cut connection.
 */
export async function openRowStream(source: RowSource): Promise<Readable> {
  const text = textOf(source);
  try {
    const first = await text.next();
    const body = Readable.from(from(first, text), { objectMode: false, highWaterMark: 1 });
    // Also when nobody has read from it yet.
    body.once('close', () => void source.release());
    return body;
  } catch (error) {
    await source.release();
    throw error;
  }
}

async function* textOf({ rows, texts, format, columns }: RowSource): AsyncGenerator<string, void> {
  // One of all exports is written in a round of the event loop: others ask for less than these give.
  const turn = new Turn();
  if (format === 'csv') yield* csvOf(rows, new CsvWriter(columns), turn);
  else if (texts) yield* linesOf(texts(), turn);
  else for await (const part of rows()) yield toNdjson(part, turn);
}

/** Which columns there are is known when all rows have been seen; then they are read again. */
async function* csvOf(rows: () => RowParts, writer: CsvWriter, turn: Turn): AsyncGenerator<string, void> {
  for await (const part of rows()) {
    if (turn.isOver) await turn.pass();
    writer.learn(part);
  }
  yield writer.header();
  for await (const part of rows()) {
    if (turn.isOver) await turn.pass();
    yield writer.lines(part);
  }
}

/** Pieces of whole lines, of about a megabyte where no line is longer. */
async function* linesOf(parts: TextParts, turn: Turn): AsyncGenerator<string, void> {
  for await (const texts of parts) {
    let piece = '';
    for (const text of texts) {
      piece += `${text}\n`;
      if (piece.length < PIECE) continue;
      if (turn.isOver) await turn.pass();
      yield piece;
      piece = '';
    }
    if (turn.isOver) await turn.pass();
    yield piece;
  }
}

async function* from(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>): AsyncGenerator<Buffer, void> {
  if (first.done) return;
  // An empty piece would be an end.
  if (first.value !== '') yield Buffer.from(first.value);
  for await (const text of rest) if (text !== '') yield Buffer.from(text);
}
