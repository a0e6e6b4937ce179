import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { invalid } from '@twinyard/conventions';
import { EndpointError } from './endpoint-error';
import type { RestResponse } from './rest-line';

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([['gzip', () => createGunzip()], ['x-gzip', () => createGunzip()], ['br', () => createBrotliDecompress()]]);

/** Of all answers of a step together. */
export const MOST_BYTES = 10 * 1024 ** 2;

/**
 * The body of an answer, decoded as it comes, so that what is packed grows no further than what is not. `host` is for messages; `left`: of what the step may take.
 * @throws ServiceError `invalid` where it has more
 */
export async function readBytes(response: RestResponse, host: string, left: number): Promise<Buffer> {
  const [chunks, tooLarge]: [Buffer[], Error] = [[], invalid(`The answers of ${host} have more than the ${MOST_BYTES / 1024 ** 2} MB that are taken`)];
  const stream = decoded(response, host);
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += (chunk as Buffer).length;
      if (size > left) throw tooLarge;
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new EndpointError(`The answer of ${host} broke off`);
  }
  return Buffer.concat(chunks);
}

function decoded({ body, headers }: RestResponse, host: string): Readable {
  const encoding = String(headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  // An answer without a body may name the encoding that it would have.
  if (encoding === 'identity' || encoding === '' || headers['content-length'] === '0') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    body.destroy();
    throw new EndpointError(`The answer of ${host} has an encoding that was not asked for`);
  }
  pipeline(body, decoder, () => undefined);
  return decoder;
}
