const LINE_FEED = 0x0a;

/** The values of a text of JSON lines, as many at a time as a chunk ends. `tooLong`: what is thrown where a line has more than `mostBytes`. */
export async function* jsonLines<T>(chunks: AsyncIterable<Uint8Array>, mostBytes: number, tooLong: () => Error): AsyncGenerator<readonly T[], void> {
  let rest: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED);
    const [whole, begun] = [chunk.subarray(0, end + 1), chunk.subarray(end + 1)];
    if (end >= 0) {
      yield valuesIn<T>(Buffer.concat([...rest, whole]));
      [rest, held] = [[], 0];
    }
    held += begun.length;
    if (held > mostBytes) throw tooLong();
    if (begun.length > 0) rest.push(begun);
  }
  if (held > 0) yield valuesIn<T>(Buffer.concat(rest));
}

const valuesIn = <T>(bytes: Buffer) => bytes.toString('utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as T);
