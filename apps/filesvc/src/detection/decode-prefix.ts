import { Readable } from 'node:stream';
import { codingsOf, decode, isDecodable } from '../content/content-codings';

/**
 * At most `limit` bytes of what `prefix` is without its codings; nothing, under one that is unknown here, or when it is not of them. A
 * bomb costs no more than that: decoding stops there.
 */
export async function decodePrefix(prefix: Buffer, contentEncoding: string | null, limit: number): Promise<Buffer | undefined> {
  const codings = codingsOf(contentEncoding);
  if (codings.length === 0) return prefix.subarray(0, limit);
  if (!isDecodable(codings)) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decode(Readable.from([prefix]), codings) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
  } catch {
    // The prefix ends in the middle: what came out of it until then is what is wanted.
  }
  return length === 0 ? undefined : Buffer.concat(chunks).subarray(0, limit);
}
