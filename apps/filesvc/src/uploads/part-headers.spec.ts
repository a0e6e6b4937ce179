import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describePart } from './part-headers';

/** As the parser of messages gives headers: a character for each byte. */
const nameOf = (parameters: string | Buffer) => describePart({ 'content-disposition': [`form-data; name="file"; ${Buffer.from(parameters).toString('latin1')}`] }).fileName;
const windows = (text: string) => Buffer.from(text, 'latin1');

describe('the name of a part', () => {
  it.each<[string, string | Buffer, string | undefined]>([
    ['UTF-8', 'filename="Tür Ω.txt"', 'Tür Ω.txt'],
    ['Windows-1252', windows('filename="T\xfcr.txt"'), 'Tür.txt'],
    ['characters that only Windows-1252 has', windows('filename="\x84T\xfcr\x93 5 \x80.txt"'), '„Tür“ 5 €.txt'],
    ['bytes that even Windows-1252 has no character for', windows('filename="a\x81\xff.txt"'), 'a\u0081ÿ.txt'],
    ['a path in Windows-1252', windows('filename="C:\\Pl\xe4ne\\T\xfcr.txt"'), 'Tür.txt'],
    ['UTF-8 by RFC 8187', "filename*=UTF-8''T%C3%BCr.txt", 'Tür.txt'],
    ['what says UTF-8 and is Windows-1252', "filename*=UTF-8''T%FCr%20%80.txt", 'Tür €.txt'],
    ['what says UTF-8 and has raw bytes', windows("filename*=UTF-8''T\xfcr.txt"), 'Tür.txt'],
    ['ISO 8859-1', "filename*=iso-8859-1'de'T%FCr.txt", 'Tür.txt'],
    ['ISO 8859-15', "filename*=ISO-8859-15''5%A4.txt", '5€.txt'],
    ['Windows-1251', "filename*=windows-1251''%CF%EB%E0%ED.pdf", 'План.pdf'],
    ['Shift JIS', "filename*=Shift_JIS'ja'%90%7D%96%CA.pdf", '図面.pdf'],
    ['what says Shift JIS and is none', "filename*=Shift_JIS''%FC%FC.pdf", 'üü.pdf'],
    ['a character set that nobody knows, and a plain name beside it', `filename="plan.txt"; filename*=klingon''%01.txt`, 'plan.txt'],
    ['an extended name that is empty, and a plain one', `filename*=UTF-8''; filename="plan.txt"`, 'plan.txt'],
    ['two forms, of which the extended one counts', `filename="T?r.txt"; filename*=UTF-8''T%C3%BCr.txt`, 'Tür.txt'],
    ['quotes, in which something looks like an extended name', `filename="a; filename*=UTF-8''b.txt"`, `a; filename*=UTF-8''b.txt`],
    ['signs that an extended name may not hold as they are', "filename*=UTF-8''it%27s%20(1)%2a!.txt", "it's (1)*!.txt"],
    ['U+FFFD, which was sent', 'filename="a\ufffd.txt"', 'a\ufffd.txt'],
    ['no character set that is known at all', "filename*=klingon''%01.txt", undefined],
  ])('is read from %s', (_form, parameters, name) => {
    expect(nameOf(parameters)).toBe(name);
  });

  it('is another where the bytes are others, and never holds a U+FFFD', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((array) => Buffer.from(array.map((byte) => (byte < 0x80 ? 0x61 + (byte % 26) : byte))));
    fc.assert(fc.property(bytes, bytes, (one, other) => {
      const [first, second] = [one, other].map((name) => nameOf(Buffer.concat([windows('filename="'), name, windows('"')])));
      // One name may be written in two ways.
      fc.pre(isUtf8(one) === isUtf8(other) && ![one, other].some((name) => name.includes('\ufffd')));
      expect([first?.includes('\ufffd'), first === second]).toEqual([false, one.equals(other)]);
    }), { numRuns: 2_000 });
  });
});
