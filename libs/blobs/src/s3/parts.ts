/** Cuts a stream into parts of exactly `size` bytes; the last one may be shorter. No bytes, no part. */
export async function* inParts(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (let chunk of source) {
    while (length + chunk.length >= size) {
      const taken = size - length;
      yield Buffer.concat([...chunks, chunk.subarray(0, taken)], size);
      chunk = chunk.subarray(taken);
      chunks = [];
      length = 0;
    }
    if (chunk.length > 0) chunks.push(chunk);
    length += chunk.length;
  }
  if (length > 0) yield Buffer.concat(chunks, length);
}
