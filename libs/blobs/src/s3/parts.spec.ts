import fc from 'fast-check';
import { inParts } from './parts';
import { partSizeFor } from './s3-upload';

const MEBIBYTE = 1024 ** 2;

async function partsOf(chunks: readonly Uint8Array[], size: number): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  const source = (async function* () { yield* chunks.map((chunk) => Buffer.from(chunk)); })();
  for await (const part of inParts(source, size)) parts.push(part);
  return parts;
}

describe('parts of a stream', () => {
  it('are all of one size but the last, and together the stream', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 }), fc.integer({ min: 1, max: 30 }), async (chunks, size) => {
      const parts = await partsOf(chunks, size);
      expect(Buffer.concat(parts).equals(Buffer.concat(chunks))).toBe(true);
      expect(parts.slice(0, -1).every(({ length }) => length === size)).toBe(true);
      expect(parts.every(({ length }) => length > 0 && length <= size)).toBe(true);
    }));
  });

  it.each([
    [{}, 5], [{ size: 1 }, 5], [{ maxSize: 20 * 1024 * MEBIBYTE }, 5], [{ maxSize: 50_000 * MEBIBYTE }, 5], [{ maxSize: 50_000 * MEBIBYTE + 1 }, 6],
    [{ size: 70_000 * MEBIBYTE, maxSize: 1 }, 7],
  ])('of %j have %d MiB, so that 10,000 are enough', (expected, mebibytes) => {
    expect(partSizeFor(expected)).toBe(mebibytes * MEBIBYTE);
  });
});
