import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS: Readonly<Record<string, () => Transform>> = { 'gzip': createGunzip, 'x-gzip': createGunzip, 'deflate': createInflate, 'br': createBrotliDecompress };

/**
 * At most `limit` bytes of what `prefix` is under its encoding; nothing, under one that is unknown here, or when it is not of it. A bomb
 * costs no more than that: decoding stops there.
 */
export async function decodePrefix(prefix: Buffer, encoding: string | null, limit: number): Promise<Buffer | undefined> {
  if (encoding === null) return prefix.subarray(0, limit);
  const open = DECODERS[encoding];
  if (open === undefined) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of feed(open(), prefix)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
  } catch {
    // The prefix ends in the middle: what came out of it until then is what is wanted.
  }
  return length === 0 ? undefined : Buffer.concat(chunks).subarray(0, limit);
}

function feed(decoder: Transform, prefix: Buffer): AsyncIterable<Buffer> {
  decoder.end(prefix);
  return decoder as AsyncIterable<Buffer>;
}
