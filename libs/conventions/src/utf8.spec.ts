import fc from 'fast-check';
import { nameFromBytes, percentDecoded, Utf8Check, utf8Text } from './utf8';

const refusalOf = (work: () => unknown) => { try { return work(); } catch (error) { return (error as Error).message; } };

/** Texts in UTF-8, with a byte exchanged here and there. */
const nearlyUtf8 = fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 2 })).map(([text, faults]) => {
  const bytes = Buffer.from(text.toWellFormed());
  for (const [place, byte] of faults) bytes[place % bytes.length] = byte;
  return bytes;
});

/** By the decoder of the platform: what is well-formed up to there, and is not with one byte more that ends a character. */
function placeOf(bytes: Buffer): number | undefined {
  const isText = (end: number) => { try { new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end)); return true; } catch { return false; } };
  if (isText(bytes.length)) return undefined;
  return Array.from(bytes, (_, index) => index).findLast(isText);
}

describe('texts that are not UTF-8', () => {
  it.each<[string, number]>([['22fc22', 1], ['ff', 0], ['61c3', 1], ['61e282', 1], ['efbf41', 0], ['c0af', 0], ['eda080', 0], ['f4908080', 0], ['c3bc80', 2], ['efbfbdff', 3]])('are refused with the place: %s at %d', (hex, place) => {
    expect(refusalOf(() => utf8Text(Buffer.from(hex, 'hex')))).toBe(`body: is not UTF-8 from byte ${place} on`);
  });

  it('are refused in the same words, however they are cut into pieces', () => {
    fc.assert(fc.property(nearlyUtf8, fc.integer({ min: 1, max: 9 }), (bytes, size) => {
      const place = placeOf(bytes);
      const expected = place === undefined ? undefined : `body: is not UTF-8 from byte ${place} on`;
      const inPieces = () => {
        const check = new Utf8Check();
        for (let at = 0; at < bytes.length; at += size) check.take(bytes.subarray(at, at + size));
        check.end();
      };
      expect([refusalOf(inPieces), place === undefined ? undefined : refusalOf(() => utf8Text(bytes))]).toEqual([expected, expected]);
      if (place === undefined) expect(utf8Text(bytes)).toBe(bytes.toString());
    }), { numRuns: 2_000 });
  });
});

describe('names', () => {
  it('are UTF-8, and Windows-1252 where they are not: two that differ stay two', () => {
    expect(['T\u00fcr', 'T\u00f6r', '\u20ac'].map((name) => nameFromBytes(Buffer.from(name)))).toEqual(['Tür', 'Tör', '€']);
    expect(['54fc72', '54f672', '80', '81'].map((hex) => nameFromBytes(Buffer.from(hex, 'hex')))).toEqual(['Tür', 'Tör', '€', '\u0081']);
    const bytes = Array.from({ length: 128 }, (_, n) => nameFromBytes(Buffer.of(0x41, 0x80 + n)));
    expect([new Set(bytes).size, bytes.join('').includes('\ufffd')]).toEqual([128, false]);
  });

  it('may have percents that stand for bytes', () => {
    expect(percentDecoded('a%FC%zz%2').toString('latin1')).toBe('aü%zz%2');
    expect([percentDecoded('ü%41'), percentDecoded('ü%41', 'latin1')]).toEqual([Buffer.from('üA'), Buffer.from('üA', 'latin1')]);
  });
});
