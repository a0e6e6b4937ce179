import { type Cut, LineFeeds, MAX_ROW_BYTES, RowCutter } from '@twinyard/csv';
import { parseJsonText } from './json-text';
import type { Row } from './row';

/** Cuts a file of JSON lines at the ends of its lines. */
export const ndjsonCutter = () => new RowCutter(new LineFeeds(), MAX_ROW_BYTES);

/** The rows of a file of JSON lines, as many at a time as a chunk holds; those up to the line `after` are passed over. */
export async function* readNdjson(chunks: AsyncIterable<Buffer>, after = 0): AsyncGenerator<readonly Row[], void> {
  const cutter = ndjsonCutter();
  const toRows = (cuts: readonly Cut[]) => cuts.flatMap((cut) => (cut.line > after ? toRow(cut) : []));
  for await (const chunk of chunks) yield toRows(cutter.take(chunk));
  yield toRows(cutter.end());
}

function toRow({ line, bytes }: Cut): Row | [] {
  if (bytes === undefined) return { line, fault: `is longer than ${MAX_ROW_BYTES} bytes` };
  const text = bytes.toString();
  return text.trim() === '' ? [] : { line, ...parseJsonText(text) };
}
