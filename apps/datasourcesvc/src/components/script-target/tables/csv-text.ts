import { setImmediate as turn } from 'node:timers/promises';
import { tooLarge } from '@twinyard/conventions';
import type { CsvText, TextForm } from '@twinyard/scripts';
import { csvBatches } from './read-csv';
import { atMost, csvBytes, requireDelimiter } from './written-bytes';
import { WrittenRows } from './written-rows';

/** Of what a script is given at once. */
const MOST_BYTES = 10 * 1_048_576;
/** That are worked at before others have their turn. */
const PIECE_BYTES = 65_536;

/** JSON of all rows. */
export async function parsedText({ text, options }: CsvText): Promise<string> {
  const [all = '[]', more] = await firstTwo(csvBatches(piecesOf(Buffer.from(text)), { reading: options, most: MOST_BYTES }));
  if (more !== undefined) throw tooLarge(`The rows have more than ${MOST_BYTES} bytes as JSON: keep the text in a file, and read its rows`);
  return all;
}

export async function formattedText(rows: readonly unknown[], { columns, delimiter, textColumns }: TextForm): Promise<string> {
  requireDelimiter(delimiter);
  const lines: Uint8Array[] = [];
  const bytes = csvBytes(WrittenRows.of(columns, rows), { rows: only(rows) }, { delimiter, textColumns, bom: false });
  for await (const chunk of atMost(bytes, MOST_BYTES, 'The text')) lines.push(chunk);
  return Buffer.concat(lines).toString();
}

async function firstTwo(batches: AsyncGenerator<string, void>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of batches) {
    found.push(batch);
    if (found.length === 2) break;
  }
  return found;
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.subarray(at, at + PIECE_BYTES);
    await turn();
  }
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}
