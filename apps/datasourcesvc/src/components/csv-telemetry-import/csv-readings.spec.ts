import { readParams } from '../component-params';
import { csvFileParams, toCsvParams } from './csv-params';
import { checkReadings, readingBatches } from './csv-readings';

/** In pieces of three bytes, so that lines and characters are cut. */
async function* bytesOf(text: string | Buffer): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += 3) yield bytes.subarray(start, start + 3);
}

type Given = Readonly<Record<string, unknown>>;
const csv = (given: Given = {}) => toCsvParams(readParams({ params: csvFileParams }, given));

const readings = async (text: string | Buffer, params: Given = {}) => {
  const all = [];
  for await (const batch of readingBatches(bytesOf(text), csv(params))) all.push(...batch);
  return all.map(({ at, fields }) => ({ at: at.toISOString().slice(0, 10), ...fields }));
};
const remarks = async (text: string, params: Given = {}) => (await checkReadings(bytesOf(text), csv(params))).remarks;
const days = (cells: readonly string[]) => cells.map((cell, n) => `2024-01-${String(n + 1).padStart(2, '0')},${cell}\n`).join('');

describe('readings of a CSV file', () => {
  it('are numbers where the text is one, text where it is none, and missing where the cell is empty', async () => {
    expect(await readings('timestamp,a,b,c,d,"Lüfter, außen"\n2024-01-01,1,-2.5e3,,007,"läuft, ""gut"""\n')).toEqual([
      { at: '2024-01-01', a: 1, b: -2500, d: 7, 'Lüfter, außen': 'läuft, "gut"' },
    ]);
    expect(await readings('timestamp,a,b\n2024-01-01,1e999,0x10\n')).toEqual([{ at: '2024-01-01', a: '1e999', b: '0x10' }]);
  });

  it('may come under other names and from some columns only', async () => {
    expect(await readings('t,a,b\n2024-01-01,1,2\n', { timestampColumn: 't', columns: ['b'] })).toEqual([{ at: '2024-01-01', b: 2 }]);
    expect(await readings('t,a,_id\n2024-01-01,1,2\n', { timestampColumn: 't', columns: { _id: 'x' } })).toEqual([{ at: '2024-01-01', x: 2 }]);
  });

  it('nest where a name has a dot, as items do', async () => {
    expect(await readings('timestamp,AHU1.Supply,AHU1.Return.t,a\\.b,.secret\n2024-01-01,21,19,3,4\n')).toEqual([{ at: '2024-01-01', AHU1: { Supply: 21, Return: { t: 19 } }, 'a.b': 3, '.secret': 4 }]);
    expect(await readings('timestamp,v\n2024-01-01,21\n', { columns: { v: 'AHU1.Supply' } })).toEqual([{ at: '2024-01-01', AHU1: { Supply: 21 } }]);
  });

  it('of one time count once, the last', async () => {
    expect(await readings('timestamp,a\n2024-01-01,1\n2024-01-01T00:00Z,2\n')).toEqual([{ at: '2024-01-01', a: 2 }]);
  });

  it.each([['CR', '\r'], ['CR LF', '\r\n'], ['LF', '\n']])('have line ends of %s', async (_, end) => {
    expect(await readings(['timestamp;v', '2024-01-01;1', '', '2024-01-02;2', ''].join(end))).toEqual([{ at: '2024-01-01', v: 1 }, { at: '2024-01-02', v: 2 }]);
  });

  it('are UTF-16 with a mark, or of an encoding that is named', async () => {
    const text = 'timestamp\tAußen\n2024-01-01\t1\n';
    expect(await readings(Buffer.from(`\ufeff${text}`, 'utf16le'))).toEqual([{ at: '2024-01-01', Außen: 1 }]);
    expect(await readings(Buffer.from(text, 'latin1'), { encoding: 'windows-1252' })).toEqual([{ at: '2024-01-01', Außen: 1 }]);
    await expect(checkReadings(bytesOf(Buffer.from('timestamp,v\n2024-01-01,außen\n', 'latin1')), csv())).rejects.toThrow('line 2 is not UTF-8 in column 2; name the encoding of the file');
    await expect(checkReadings(bytesOf(text), csv({ encoding: 'klingon' }))).rejects.toThrow('there is no encoding "klingon"');
  });

  it.each([
    ['', {}, 'empty'], ['a,b\n', {}, 'no column "timestamp"'], ['timestamp,a\n', { columns: ['b'] }, 'no column "b"'],
    ['timestamp,_id\n', {}, 'cannot be named _id'], ['timestamp,_ts.a\n', {}, 'cannot be named _ts.a'], ['timestamp,a.$b\n', {}, 'cannot be named a.$b'],
    ['timestamp,a\n', { columns: 'a' }, 'columns'], ['timestamp,a\n', { columns: [] }, 'columns'], ['timestamp,a\n', { columns: [1] }, 'columns'],
    ['timestamp,value,value\n', {}, 'two columns named "value": the 2. and the 3.'], ['timestamp,v, v\n', {}, 'two columns named "v": the 2. and the 3.'],
    ['timestamp,timestamp,v\n', {}, 'two columns named "timestamp"'], ['timestamp,a,b\n', { columns: { a: 'v', b: 'v' } }, '"a" and "b" become one measurement, v'],
    ['timestamp,a,a.b\n', {}, 'column "a.b" would stand inside the value of "a"'], ['timestamp,a..\n', {}, 'not a path'], ['timestamp,constructor\n', {}, 'not allowed'],
    ['timestamp,,v\n2024-01-01,1,2\n', {}, 'line 2 has data in column 2, which has no name'], ['timestamp,v\n', { decimalSeparator: ';' }, 'decimalSeparator'],
    ['timestamp,v\n', { missingValues: 'x' }, 'missingValues'], ['timestamp,v\n', { delimiter: 'ab' }, 'delimiter'],
  ])('are refused: %j with %j', async (text, params, message) => {
    await expect((async () => checkReadings(bytesOf(text), csv(params)))()).rejects.toThrow(message);
  });

  it('may have columns without a name and without data', async () => {
    expect(await readings('timestamp,v,\n2024-01-01,1,\n')).toEqual([{ at: '2024-01-01', v: 1 }]);
  });

  it('name the line of every bad row, also after a cell of several lines, but not hundreds of them', async () => {
    await expect(checkReadings(bytesOf('timestamp,a\n2024-01-01,"one\ntwo"\nnever,1\n'), csv())).rejects.toThrow('1 row is bad and nothing was imported: line 4 "never" is no date and time');
    const many = `timestamp,a\n${'never,1\n'.repeat(50)}`;
    await expect(checkReadings(bytesOf(many), csv())).rejects.toThrow(/^50 rows are bad .*line 21 .*; and 30 more$/);
  });

  it('pass a failure of the source on', async () => {
    const failure = new Error('the connection broke');
    const broken = async function* () {
      yield Buffer.from('timestamp,a\n2024-01-01,1\n');
      throw failure;
    };
    await expect(checkReadings(broken(), csv())).rejects.toBe(failure);
  });
});

describe('cells that people have', () => {
  it('hold no value where a program writes that it has none, and the log counts them', async () => {
    const text = `timestamp,v\n${days(['NaN', 'NULL', 'N/A', '-', '', 'null', '#N/A', ' 1 '])}`;
    expect(await readings(text)).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => ({ at: `2024-01-0${day}` })).concat([{ at: '2024-01-08', v: 1 } as never]));
    expect(await remarks(text)).toEqual(['7 cells hold no value and are left out']);
    expect(await readings('timestamp,v\n2024-01-01,-\n', { missingValues: ['x'] })).toEqual([{ at: '2024-01-01', v: '-' }]);
  });

  it('have a comma before their decimals where that is said, and are told to look so where it is not', async () => {
    const text = 'timestamp;v\n2024-01-01;21,5\n2024-01-02;1.234.567,25\n2024-01-03;-3\n2024-01-04;1.5\n';
    expect(await readings(text, { decimalSeparator: ',' })).toEqual([21.5, 1_234_567.25, -3, '1.5'].map((v, n) => ({ at: `2024-01-0${n + 1}`, v })));
    expect(await remarks('timestamp;v\n2024-01-01;21,5\n2024-01-02;22,5\n2024-01-03;7\n')).toEqual([
      'Column "v" looks like decimal commas in 2 cells, which are kept as texts: line 2 "21,5", line 3 "22,5". With decimalSeparator "," they are numbers',
    ]);
  });

  it('are named where a column is numeric but for a few of them', async () => {
    expect(await remarks(`timestamp,v,state\n${days([...Array.from({ length: 20 }, (_, n) => `${n},on`), 'broken,off'])}`)).toEqual([
      'Column "v" is numeric but for 1 of 21 cells, which are kept as texts: line 22 "broken"',
    ]);
  });

  it('are texts where a number would change, and are named', async () => {
    const text = 'timestamp,v\n2024-01-01,9007199254740993\n2024-01-02,9007199254740991\n2024-01-03,-9007199254740993\n';
    expect(await readings(text)).toEqual(['9007199254740993', 9_007_199_254_740_991, '-9007199254740993'].map((v, n) => ({ at: `2024-01-0${n + 1}`, v })));
    expect(await remarks(text)).toEqual(['Column "v" has 2 whole numbers above 2^53, which are kept as texts: line 2 "9007199254740993", line 4 "-9007199254740993"']);
  });
});
