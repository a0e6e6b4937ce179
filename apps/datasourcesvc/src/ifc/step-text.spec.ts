import { processorTime } from '@twinyard/testing';
import { ifcText } from '@twinyard/testing/ifc-text';
import { readIfc } from './read-ifc';
import { decodeStepText } from './step-text';

const wallNamed = (name: string) => ifcText(`#1=IFCWALL('w',$,'${name}',$,$,$,$,$,$);`);
const nameOf = async (bytes: Uint8Array) => (await readIfc(bytes)).elements[0]?.name;

describe('texts of STEP files', () => {
  it.each([
    ["it''s", "it's"],
    ['\\S\\i', 'é'],
    ['\\PB\\\\S\\i', 'é'],
    ['\\PE\\\\S\\8', 'И'],
    ['\\X\\E9', 'é'],
    ['\\X2\\00E9004F\\X0\\b', 'éOb'],
    ['\\X2\\00e9\\X0\\', 'é'],
    ['\\X2\\D83DDE00\\X0\\', '😀'],
    ['\\X4\\0001F600\\X0\\', '😀'],
    ['a\\\\X2\\\\b', 'a\\X2\\b'],
    ['raw é 漢', 'raw é 漢'],
    ['a\\N\\b', 'a\nb'],
    ['a\\X2\\0000\\X0\\b', 'ab'],
    ['a\\X2\\D83D\\X0\\b', 'a\ufffdb'],
    ['a\\X4\\FFFFFFFF\\X0\\b', 'a\ufffdb'],
    ['a\\X2\\00', 'a\\X2\\00'],
    ['a\\Q\\b', 'a\\Q\\b'],
  ])('reads %s as %s', async (written, expected) => {
    expect(await nameOf(new TextEncoder().encode(wallNamed(written)))).toBe(expected);
  });

  it('reads a file in Windows-1252, which the norm forbids and programs write', async () => {
    expect(await nameOf(Buffer.from(wallNamed('Tür'), 'latin1'))).toBe('Tür');
    // As a program of Windows writes it.
    expect(await nameOf(Buffer.from(wallNamed('\x84T\xfcr\x93 \x80 5'), 'latin1'))).toBe('„Tür“ € 5');
  });

  it('reads a text with the very byte that stands in for the backslash', async () => {
    expect(await nameOf(new TextEncoder().encode(wallNamed('a\u001ab\\X\\E9')))).toBe('a\u001abé');
  });

  it('leaves the bytes of the caller as they are', async () => {
    const bytes = new TextEncoder().encode(wallNamed('\\X\\E9'));
    const before = Buffer.from(bytes).toString('hex');
    await nameOf(bytes);
    expect(Buffer.from(bytes).toString('hex')).toBe(before);
  });

  it('decodes a text of many escapes in a moment', async () => {
    const decode = () => expect(decodeStepText('\\X2\\00E9\\X0\\'.repeat(20_000))).toBe('é'.repeat(20_000));
    expect(await processorTime(decode, 2_000)).toBeLessThan(2_000);
  });
});
