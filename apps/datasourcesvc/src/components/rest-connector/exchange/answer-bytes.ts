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
  const chunks: Buffer[] = [];
  const tooLarge = invalid(`The answers of ${host} have more than the ${MOST_BYTES / 1024 ** 2} MB that are taken`);
  for await (const chunk of wholeBody(decodedBody(response, host), { host, most: left, tooLarge })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface BodyTerms {
  /** For messages. */
  readonly host: string;
  readonly most: number;
  /** Thrown where there is more. */
  readonly tooLarge: Error;
}

/** Its chunks as they come. What the line breaks off by is told as such. @throws EndpointError */
export async function* wholeBody(body: AsyncIterable<Buffer>, { host, most, tooLarge }: BodyTerms): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > most) throw tooLarge;
      yield chunk;
    }
  } catch (error) {
    if (error === tooLarge || error instanceof EndpointError) throw error;
    throw new EndpointError(`The answer of ${host} broke off`);
  }
}

/** Unpacked. Who reads it hears of its errors. @throws EndpointError where it is packed in a way that nobody asked for */
export function decodedBody({ body, headers }: RestResponse, host: string): Readable {
  const encoding = encodingOf(headers);
  // An answer without a body may name the encoding that it would have.
  if (encoding === undefined || headers['content-length'] === '0') return body;
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    body.destroy();
    throw new EndpointError(`The answer of ${host} has an encoding that was not asked for`);
  }
  pipeline(body, decoder, () => undefined);
  return decoder;
}

/** `undefined` where a body is as it is. */
export function encodingOf(headers: RestResponse['headers']): string | undefined {
  const encoding = String(headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  return encoding === 'identity' || encoding === '' ? undefined : encoding;
}
