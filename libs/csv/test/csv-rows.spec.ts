import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { type CsvDialect, CsvFault, formatHeader, parseHeader, readCsvRows, trimHeader } from '../src';

/** In pieces of so many bytes, as a network cuts them. */
async function* pieces(content: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rows(content: string | Buffer, dialect: CsvDialect = {}, size = 5) {
  const all = [];
  for await (const some of readCsvRows(pieces(content, size), dialect)) all.push(...some);
  return all.map((row) => (row.fault === undefined ? [row.line, ...row.cells] : [row.line, row.fault]));
}

const ENDS = ['\n', '\r\n', '\r'] as const;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const cell = fc.string({ unit: fc.constantFrom(...'ab ü漢,;|\t"\n\r') }).filter((text) => !text.endsWith('\r'));
const table = fc.integer({ min: 2, max: 4 }).chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 3, maxLength: 6 }));

describe('rows of CSV files', () => {
  it('are what was written, with any line end, delimiter and encoding, however the file is cut', async () => {
    await fc.assert(fc.asyncProperty(table, fc.constantFrom(...ENDS), fc.constantFrom(...DELIMITERS), fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), async (cells, end, delimiter, [size, isUtf16]) => {
      const text = stringify(cells, { record_delimiter: end, delimiter, quoted: true });
      const found = await rows(isUtf16 ? Buffer.from(`\ufeff${text}`, 'utf16le') : text, { delimiter }, size);
      expect(found.map(([, ...row]) => row)).toEqual(cells);
    }), { numRuns: 500, seed: 28 });
  });

  it('find their delimiter by the header and the first row', async () => {
    await fc.assert(fc.asyncProperty(table, fc.constantFrom(...DELIMITERS), async (cells, delimiter) => {
      const header = (cells[0] as string[]).map((_, n) => `c${n}`);
      const text = stringify([header, ...cells], { record_delimiter: '\n', delimiter, quoted: true });
      expect((await rows(text)).map(([, ...row]) => row)).toEqual([header, ...cells]);
    }), { numRuns: 200, seed: 28 });
  });

  it('are numbered by the line in which they begin, whatever line ends are in them', async () => {
    expect(await rows('a,b\r\n1,"x\ry\r\nz\n"\r\r\n2,3\n\n4,5')).toEqual([[1, 'a', 'b'], [2, '1', 'x\ry\r\nz\n'], [7, '2', '3'], [9, '4', '5']]);
    for (const size of [1, 2, 3, 100]) expect(await rows('a,b\r\n1,2\r\n3,4\r\n', {}, size)).toEqual([[1, 'a', 'b'], [2, '1', '2'], [3, '3', '4']]);
  });

  it('go on behind one that cannot be read', async () => {
    const file = Buffer.concat([Buffer.from('a,b\n1,"2"x\n'), Buffer.from('3,ü\n', 'latin1'), Buffer.from('5,6\n7,"open\n8,9\n')]);
    expect(await rows(file)).toEqual([
      [1, 'a', 'b'], [2, 'has a quote where none may be'], [3, 'is not UTF-8 in column 2; name the encoding of the file'], [4, '5', '6'], [5, 'opens a quote that is not closed'],
    ]);
  });

  it('are none in an empty file, and one in a file of a header', async () => {
    expect([await rows(''), await rows('\ufeff'), await rows('\r\n\r\n'), await rows('\ufeffa;b')]).toEqual([[], [], [], [[1, 'a', 'b']]]);
  });

  it('may be longer than a row may be, and are not kept then', async () => {
    async function* file(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a,b\n1,');
      for (let n = 0; n < 30; n += 1) yield Buffer.alloc(1_000_000, 'x');
      yield Buffer.from('\n2,3\n');
    }
    const all = [];
    for await (const some of readCsvRows(file())) all.push(...some);
    expect(all).toEqual([{ line: 1, cells: ['a', 'b'] }, { line: 2, fault: expect.stringContaining('too long') as string }, { line: 3, cells: ['2', '3'] }]);
    const few = [];
    for await (const some of readCsvRows(pieces('a,b\n1,xxxxxx\n2,3\n', 5), {}, 6)) few.push(...some);
    expect(few).toEqual([{ line: 1, cells: ['a', 'b'] }, { line: 2, fault: expect.stringContaining('too long') as string }, { line: 3, cells: ['2', '3'] }]);
  });

  it.each<[string, CsvDialect, string | Buffer]>([
    ['an unknown encoding', { encoding: 'klingon' }, 'a'], ['bytes of another encoding', { encoding: 'shift_jis' }, Buffer.from([0x61, 0x81, 0xff, 0x0a])], ['a delimiter of two characters', { delimiter: '::' }, 'a'],
  ])('are refused with %s', async (_, dialect, content) => {
    await expect(rows(content, dialect)).rejects.toThrow(CsvFault);
  });
});

describe('headers', () => {
  const name = fc.oneof(fc.constantFrom('', '.', '..a', '.a', 'a.b', ' a', 'a ', ' ', '\t', '\\ ', '\\', '=x'), fc.string({ unit: 'grapheme', maxLength: 4 })).filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));

  it('are the same path again, also with spaces around them that a file has', () => {
    fc.assert(fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.constantFrom('', ' ', '\t '), (path, space) => {
      expect(parseHeader(trimHeader(`${space}${formatHeader(path)}${space}`))).toEqual(path);
    }), { numRuns: 1_000, seed: 28 });
  });
});
