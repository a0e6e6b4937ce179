import { pipeline, Readable, type Transform } from 'node:stream';
import zlib, { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { canonicalCoding } from '@twinyard/conventions';

/** Zstandard came to Node 22.15. */
const { createZstdDecompress } = zlib as unknown as { createZstdDecompress?: () => Transform };

type Decoder = Transform | ((source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>);

const DECODERS: Readonly<Record<string, () => Decoder>> = {
  gzip: () => createGunzip(),
  deflate: () => inflate,
  br: () => createBrotliDecompress(),
  ...(createZstdDecompress && { zstd: () => createZstdDecompress() }),
};

/** The codings of a `Content-Encoding`, in the order in which they were applied. */
export const codingsOf = (contentEncoding: string | null): readonly string[] =>
  (contentEncoding ?? '').split(',').map((coding) => canonicalCoding(coding.trim())).filter((coding) => coding !== '' && coding !== 'identity');

/** Each coding that is undone costs time; nobody stacks more in earnest. */
const MAX_CODINGS = 3;

export const isDecodable = (codings: readonly string[]): boolean => codings.length <= MAX_CODINGS && codings.every((coding) => DECODERS[coding] !== undefined);

/**
 * The bytes without their codings. A decoder makes what its reader takes and no more, so that a bomb costs its reader's patience,
 * not our memory. Ends with an error where the codings are broken or cut off.
 */
export function decode(stored: Readable, codings: readonly string[]): Readable {
  const decoders = [...codings].reverse().map((coding) => DECODERS[coding]?.() as NodeJS.ReadWriteStream);
  return pipeline([stored, ...decoders], ignore) as unknown as Readable;
}

/** "Some non-conformant implementations send the "deflate" compressed data without the zlib wrapper" (RFC 9110, 8.4.1.2): the first byte tells. */
async function* inflate(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const isWrapped = ((first.value[0] ?? 0) & 0x0f) === 8;
  const rest = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  yield* pipeline(Readable.from(rest()), isWrapped ? createInflate() : createInflateRaw(), ignore) as AsyncIterable<Buffer>;
}

/** The last stream has the error too. */
const ignore = (): void => undefined;
