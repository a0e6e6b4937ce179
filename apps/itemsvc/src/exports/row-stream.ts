import { Readable } from 'node:stream';
import { Turn } from '@twinyard/conventions';
import type { RowFormat } from '../rows/row';
import { CsvWriter, toNdjson } from '../rows/row-writers';
import type { TextColumns } from '../rows/text-columns';
import type { RowParts } from './exported-rows.repository';

export interface RowSource {
  /** The same rows each time. */
  rows(): RowParts;
  readonly format: RowFormat;
  readonly texts: TextColumns;
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

async function* textOf({ rows, format, texts }: RowSource): AsyncGenerator<string, void> {
  // One of all exports is written in a round of the event loop: others ask for less than these give.
  const turn = new Turn();
  if (format === 'ndjson') {
    for await (const part of rows()) yield toNdjson(part, turn);
    return;
  }
  // Which columns there are is known when all rows have been seen; then they are read again.
  const writer = new CsvWriter(texts);
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

async function* from(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>): AsyncGenerator<Buffer, void> {
  if (first.done) return;
  // An empty piece would be an end.
  if (first.value !== '') yield Buffer.from(first.value);
  for await (const text of rest) if (text !== '') yield Buffer.from(text);
}
