import { Turn } from '@twinyard/conventions';
import fc from 'fast-check';
import { CsvColumns } from './csv-columns';
import type { CsvForm } from './csv-form';
import { readCsv } from './csv-rows';
import { formatHeader, parseHeader } from '@twinyard/csv';
import { readNdjson } from './ndjson-rows';
import type { Row } from './row';
import { CsvWriter, toNdjson } from './row-writers';

type Json = Record<string, unknown>;
const NONE: ReadonlySet<string> = new Set();

/** In pieces of so many bytes, as a network cuts them. */
async function* pieces(content: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(rows: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const some of rows) found.push(...some);
  return found;
}
const csv = (text: string | Buffer, texts = NONE, after = 0, form: CsvForm = {}) => all(readCsv(pieces(text), texts, { after, form }));
const ndjson = (text: string | Buffer, after = 0) => all(readNdjson(pieces(text), after));
const values = (rows: readonly Row[]) => rows.map((row) => ('value' in row ? row.value : row.fault));

function toCsv(documents: readonly Json[], texts = NONE): string {
  const writer = new CsvWriter(texts);
  writer.learn(documents);
  return writer.header() + writer.lines(documents);
}

describe('rows of JSON lines', () => {
  it('are numbered by their lines, empty ones and a BOM passed over', async () => {
    expect(await ndjson('\uFEFF{"a":1}\r\n\n  \n[2]\n"ä"')).toEqual([{ line: 1, value: { a: 1 } }, { line: 4, value: [2] }, { line: 5, value: 'ä' }]);
    expect(await ndjson('{"a":1}\n{"a":2}\n{"a":3}\n', 2)).toEqual([{ line: 3, value: { a: 3 } }]);
    expect(await ndjson('')).toEqual([]);
  });

  it('say what is wrong with each that is broken, and go on', async () => {
    const bad = ['{"a":', '{"__proto__":1}', '{"a":"\\u0000"}', '{"a":["\\ud800"]}', '{"a":1e400}', '{"a":{"__proto__":{}}}'];
    const rows = await ndjson([...bad, '{"ok":"\\u00e4"}'].join('\n'));
    expect(rows.map(({ line, fault }) => [line, typeof fault])).toEqual([...bad.map((_, n) => [n + 1, 'string']), [7, 'undefined']]);
  });

  it('say of a row that is nested without end that it is, whatever stands in it', async () => {
    const deep = `${'['.repeat(30_000)}"\\u0000"${']'.repeat(30_000)}`;
    expect(values(await ndjson(`{"a":${deep}}\n{"a":1}`))).toEqual([expect.stringContaining('nested deeper'), { a: 1 }]);
    expect(values(await csv(`a\n"${deep.replaceAll('"', '""')}"\n1\n`))).toEqual([expect.stringContaining('nested deeper'), { a: 1 }]);
  });

  it('refuse a line that is longer than a row may be, without keeping it', async () => {
    async function* file(): AsyncGenerator<Buffer> {
      yield Buffer.from('{"a":"');
      for (let n = 0; n < 300; n += 1) yield Buffer.alloc(1_000_000, 'x');
      yield Buffer.from('"}\n{"a":1}\n');
    }
    expect(await all(readNdjson(file()))).toEqual([{ line: 1, fault: 'is longer than 10485760 bytes' }, { line: 2, value: { a: 1 } }]);
  });
});

describe('rows of CSV', () => {
  it('have dotted headers, numbers, booleans, JSON, empty cells and texts', async () => {
    expect(values(await csv('\uFEFFa.b,a.c,t,n,list,.s\r\n1.50,true,"say ""x"", ok",null,"[1,{""x"":2}]",\r\n-3e2,,0123,,,geheim'))).toEqual([
      { a: { b: 1.5, c: true }, t: 'say "x", ok', n: null, list: [1, { x: 2 }] }, { a: { b: -300 }, t: '0123', '.s': 'geheim' },
    ]);
    expect(values(await csv('a\n12345678901234567890\n"""5"""\n{no json\n00\n1e999'))).toEqual(['12345678901234567890', '5', '{no json', '00', '1e999'].map((a) => ({ a })));
  });

  it('keep texts where a property is one, such as an id that looks like a number', async () => {
    expect(values(await csv('_id,n\n5e0000000000000000000012,1\n', new Set(['_id'])))).toEqual([{ _id: '5e0000000000000000000012', n: 1 }]);
  });

  it('are numbered by the line that they begin in, also behind line ends in quotes', async () => {
    const rows = await csv('a,b\n1,"x\r\ny\n"\n\n2,3\n4\n5,6,7\n8,9\n');
    expect(rows.map((row) => [row.line, row.fault ?? ('value' in row && row.value)])).toEqual([
      [2, { a: 1, b: 'x\r\ny\n' }], [6, { a: 2, b: 3 }], [7, 'has 1 cells where the header has 2'], [8, 'has 3 cells where the header has 2'], [9, { a: 8, b: 9 }],
    ]);
    expect((await csv('a,b\n1,"x\ny"\n2,3\n', NONE, 2)).map(({ line }) => line)).toEqual([4]);
  });

  it('go on behind a row with a broken quote', async () => {
    const rows = await csv('a,b\n1,"2"x\n3,4"\n5,6\n7,"open\n8,9\n');
    expect(rows.map(({ line, fault }) => [line, fault])).toEqual([
      [2, 'has a quote where none may be'], [3, 'has a quote where none may be'], [4, undefined], [5, 'opens a quote that is not closed'],
    ]);
  });

  it('refuse cells that no store may hold, and columns that get into each other\'s way', async () => {
    const rows = await csv('a,a.b\n1,2\n,\0\n"{""__proto__"":1}",\n"[""\\ud800""]",\n,"{""x"":1}"\n');
    expect(rows.map(({ fault }) => fault !== undefined)).toEqual([true, true, true, true, false]);
  });

  it.each(['a,a', 'a, a ', ',', 'a.', '..', 'a\\', '__proto__', 'x.constructor', '"a'])('refuse the header %s', async (header) => {
    await expect(csv(`${header}\n1,2\n`)).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(/^header: /) as string });
  });
});

describe('CSV files as people have them', () => {
  const rows = async (text: string | Buffer, form: CsvForm = {}) => (await all(readCsv(pieces(text), NONE, { form }))).map((row) => row.fault ?? ('value' in row && row.value));

  it.each([['CR', 'a,b\r1,"x\ry"\r3,4\r'], ['CR LF', 'a,b\r\n1,"x\ry"\r\n3,4'], ['all of them', 'a,b\n1,"x\ry"\r\n\r3,4\n\n']])('have line ends of %s', async (_, text) => {
    expect(await rows(text)).toEqual([{ a: 1, b: 'x\ry' }, { a: 3, b: 4 }]);
  });

  it.each([[';', 'a;b\n1,5;"x;y"\n'], ['tab', 'a\tb\n1,5\t"x;y"\n'], ['|', 'a|b\n1,5|"x;y"\n']])('have cells apart by %s, which is found', async (_, text) => {
    expect(await rows(text)).toEqual([{ a: '1,5', b: 'x;y' }]);
    expect(await rows(text, { decimalSeparator: ',' })).toEqual([{ a: 1.5, b: 'x;y' }]);
  });

  it('have names of columns with the delimiter of another file in them', async () => {
    expect(await rows('"Temp, outside, °C";Temp, inside\n1;2\n')).toEqual([{ 'Temp, outside, °C': 1, 'Temp, inside': 2 }]);
    expect(await rows('a;b,c\n1;2\n')).toEqual([{ a: 1, 'b,c': 2 }]);
    expect(await rows('a^b\n1^2\n', { delimiter: '^' })).toEqual([{ a: 1, b: 2 }]);
  });

  it('are UTF-16 with a mark, or of an encoding that is named', async () => {
    const text = 'größe;ort\n1;Köln\n';
    const swapped = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    for (const bytes of [Buffer.from(`\ufeff${text}`, 'utf16le'), swapped]) expect(await rows(bytes)).toEqual([{ größe: 1, ort: 'Köln' }]);
    expect(await rows(Buffer.from(text, 'latin1'), { encoding: 'windows-1252' })).toEqual([{ größe: 1, ort: 'Köln' }]);
  });

  it('say in which column they are no UTF-8', async () => {
    expect(await rows(Buffer.from('a,b\n1,2\n3,Köln\n5,6\n', 'latin1'))).toEqual([{ a: 1, b: 2 }, 'is not UTF-8 in column 2; name the encoding of the file', { a: 5, b: 6 }]);
  });

  it('have columns without a name, in which nothing may stand', async () => {
    expect(await rows(' a ,,b,\n1,,2,\n3,x,4,\n')).toEqual([{ a: 1, b: 2 }, 'has data in column 2, which has no name']);
  });

  it('have words for no value: those that programs write, or those that are named', async () => {
    expect(await rows('a,b\nNaN,-\nnull,1\n')).toEqual([{}, { a: null, b: 1 }]);
    expect(await rows('a,b\nNaN,?\n', { missingValues: ['?'] })).toEqual([{ a: 'NaN' }]);
    const texts = [{ a: 'NaN' }, { a: '-' }, { a: ' NA ' }, { a: null }];
    expect(await rows(toCsv(texts))).toEqual(texts);
  });
});

describe('what is written', () => {
  const name = fc.oneof(fc.constantFrom('', '.', '..a', '.a', 'a.b', 'a.', '\\', '\\0', '=x', '-1', '@', '\t', '_id', 'a b', 'ä/(ö)', '"', ',', '\n'), fc.string({ unit: 'grapheme', maxLength: 5 }))
    .filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text) && text.isWellFormed() && !text.includes('\0'));
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '5', 'true', 'null', '=1+1', '+', '-5', '@x', ' x ', '[1]', '{', '"', '"a"', 'a\r\nb', '\r', '\n', ',', '1e5', '00', '12345678901234567890', 'NaN', ' NA', 'NULL'))
    .filter((one) => one.isWellFormed() && !one.includes('\0'));
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one)));
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, number, fc.boolean(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(name, tie('value'), { maxKeys: 3 })),
  })).value;
  const document = fc.dictionary(name, value, { maxKeys: 5 }).map((one): Json => ({ ...one, _id: '000000000000000000000001' }));
  const documents = fc.array(document, { minLength: 1, maxLength: 6 });
  const runs = { numRuns: Number(process.env['ROW_RUNS'] ?? 150) };

  it('is read back as it was, as JSON lines and as CSV, whatever the documents are', async () => {
    await fc.assert(fc.asyncProperty(documents, fc.integer({ min: 1, max: 40 }), async (some, size) => {
      expect(values(await all(readNdjson(pieces(await toNdjson(some, new Turn()), size))))).toEqual(some);
      expect(values(await all(readCsv(pieces(toCsv(some), size), new Set(['_id']))))).toEqual(some);
    }), runs);
  });

  it('has headers that are the same path again', () => {
    fc.assert(fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (path) => expect(parseHeader(formatHeader(path))).toEqual(path)), runs);
    expect([['.secret'], ['a', '.b'], ['a.b'], ['a', 'b']].map(formatHeader)).toEqual(['.secret', 'a..b', 'a\\.b', 'a.b']);
  });

  it('holds no cell that a spreadsheet takes for a formula', () => {
    const texts = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1'];
    const lines = toCsv([...texts.map((t) => ({ t })), { '=h': 1 }, { n: -5 }]);
    expect(lines).not.toMatch(/(^|[\n,])"?[=+@\t\r]/);
    expect(lines).not.toMatch(/(^|[\n,])"?-(?!5)/);
    expect(CsvColumns.parse(['a'], NONE).toValue(['"=1+1"'])).toEqual({ value: { a: '=1+1' } });
  });
});
