import { invalid } from '@twinyard/conventions';

const LINE_FEED = 0x0a;
/** More than an item has (16 MB). */
const MOST_BYTES = 32 * 1_048_576;

/** The items of an export (NDJSON), as many at a time as a chunk ends. */
export async function* exportedRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Readonly<Record<string, unknown>>[], void> {
  let rest: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED);
    const [whole, begun] = [chunk.subarray(0, end + 1), chunk.subarray(end + 1)];
    if (end >= 0) {
      yield rowsIn(Buffer.concat([...rest, whole]));
      [rest, held] = [[], 0];
    }
    held += begun.length;
    if (held > MOST_BYTES) throw invalid('An item of the version before is too large to be compared');
    if (begun.length > 0) rest.push(begun);
  }
  if (held > 0) yield rowsIn(Buffer.concat(rest));
}

const rowsIn = (bytes: Buffer) => bytes.toString('utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
