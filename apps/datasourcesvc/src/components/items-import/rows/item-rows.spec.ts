import { workbookFile, type WorkbookCell } from '@twinyard/testing/workbook-files';
import { XlsxWorkbook } from '@twinyard/xlsx';
import { missingOf } from '../../file-columns/column-params';
import type { ColumnChoice } from '../item-columns';
import { csvForm, csvRows } from '../../tables/csv-table';
import type { TableForm, TableRow } from '../../tables/table';
import { xlsxForm } from '../../tables/xlsx-table';
import { ItemRows } from './item-rows';

interface Given extends Partial<Omit<ColumnChoice, 'columns'>> {
  readonly columns?: Readonly<Record<string, string>>;
  readonly decimalSeparator?: '.' | ',';
  readonly missingValues?: readonly string[];
}

const choiceOf = ({ keyColumn = 'key', textColumns = [], columns }: Given): ColumnChoice => ({ keyColumn, textColumns, columns: columns && new Map(Object.entries(columns)) });

function readRows<C>(form: TableForm<C>, rows: readonly TableRow<C>[], given: Given) {
  const reader = new ItemRows(form, choiceOf(given));
  const items: unknown[] = [];
  for (const row of reader.take(rows)) items.push(row.refused === undefined ? row.item : [row.refused, row.row]);
  reader.end();
  return { items, remarks: reader.remarks() };
}

async function* whole(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function csv(text: string, given: Given = {}) {
  const rows: TableRow<string>[] = [];
  for await (const some of csvRows(whole(text), {})) rows.push(...some);
  return readRows(csvForm({ decimalSeparator: given.decimalSeparator ?? '.', missing: missingOf(given.missingValues) }), rows, given);
}

async function sheet(cells: readonly (readonly WorkbookCell[])[], given: Given = {}, formats: readonly (number | string)[] = []) {
  const rows = [];
  for await (const part of (await XlsxWorkbook.open(await workbookFile({ sheets: [{ name: 'S', rows: cells }], formats }))).rows()) rows.push(...part.rows);
  return readRows(xlsxForm(missingOf(given.missingValues)), rows, given);
}

describe('items of a CSV file', () => {
  it('have numbers, words and texts as they are written, and nothing where a cell holds no value', async () => {
    expect((await csv('key,n,on,list,room,text,none,code\n A-1 ,-1.50,true,"[1,{""a"":2}]",007, padded ,NaN,1e3\n')).items).toEqual([
      { _sourceId: 'A-1', n: -1.5, on: true, list: [1, { a: 2 }], room: '007', text: ' padded ', code: 1_000 },
    ]);
  });

  it('have what an export has written for a text that looks like something else', async () => {
    expect((await csv('key,a,b,c,d\n"""=1+1""","""=1+1""","""12""","""NaN""","""true"""\n')).items).toEqual([{ _sourceId: '=1+1', a: '=1+1', b: '12', c: 'NaN', d: 'true' }]);
    expect((await csv('key,a,b\nx,"""no end",[1\n')).items).toEqual([{ _sourceId: 'x', a: '"no end', b: '[1' }]);
  });

  it('have decimals behind a comma where that is said, and are asked about it where it is not', async () => {
    expect((await csv('key;n;m\nx;1.234,5;7\n', { decimalSeparator: ',' })).items).toEqual([{ _sourceId: 'x', n: 1_234.5, m: 7 }]);
    expect((await csv('key;n\nx;21,5\ny;22,5\n')).remarks).toEqual(['Column "n" looks like decimal commas in 2 cells, which are kept as texts: line 2 "21,5", line 3 "22,5". With decimalSeparator "," they are numbers']);
  });

  it('have whole numbers that a double would change as texts, and are told of them', async () => {
    const { items, remarks } = await csv('key,serial,list\nx,9007199254740993,[9007199254740993]\ny,-12,[1]\n');
    expect(items).toEqual([{ _sourceId: 'x', serial: '9007199254740993', list: '[9007199254740993]' }, { _sourceId: 'y', serial: -12, list: [1] }]);
    expect(remarks).toEqual(['Column "serial" has 1 whole numbers above 2^53, which are kept as texts: line 2 "9007199254740993"']);
  });

  it('have texts in columns of texts, whatever they look like', async () => {
    expect((await csv('key,room,zip\n0042,1E5,01067\n', { textColumns: ['room', ' zip '] })).items).toEqual([{ _sourceId: '0042', room: '1E5', zip: '01067' }]);
    await expect(csv('key\n', { textColumns: ['room'] })).rejects.toThrow('The file has no column "room"; it has key');
  });

  it('nest where a name has a dot, and go where they are told', async () => {
    expect((await csv('key,AHU1.Supply,AHU1.Return.t,.pin,a\\.b\nx,1,2,3,4\n')).items).toEqual([{ _sourceId: 'x', AHU1: { Supply: 1, Return: { t: 2 } }, '.pin': 3, 'a.b': 4 }]);
    expect((await csv('Asset No, n \nx,1\n', { keyColumn: 'Asset No', columns: { 'Asset No': 'asset.no', n: 'count' } })).items).toEqual([{ _sourceId: 'x', asset: { no: 'x' }, count: 1 }]);
  });

  it('leave out what the platform writes itself, as exports have it, and say so', async () => {
    const { items, remarks } = await csv('_id,_guid,_metadata._createdAt,_sourceId,n\n1,2,3,x,4\n', { keyColumn: '_sourceId' });
    expect(items).toEqual([{ _sourceId: 'x', n: 4 }]);
    expect(remarks).toEqual(["The columns _id, _guid, _metadata._createdAt are the platform's own and are left out"]);
  });

  it('are refused one by one: without a key, of another width, broken, with what no text may hold', async () => {
    const long = 'x'.repeat(1_025);
    const { items } = await csv(`key,n\n,1\nNaN,2\n${long},3\na\nb,"x\ny"y\nc,a\0b\nd,"""\\ud800"""\n;\ne,5\n`);
    expect(items).toEqual([
      ['key', { row: 2, column: 'key', reason: 'none' }], ['key', { row: 3, column: 'key', reason: 'none' }], ['key', { row: 4, column: 'key', reason: 'longer than 1024 bytes' }],
      ['width', { row: 5, reason: '1 instead of 2' }], ['unreadable', { row: 6, reason: expect.stringContaining('quote') }],
      ['characters', { row: 8, column: 'n', reason: 'a NUL, or half a character' }], ['characters', { row: 9, column: 'n', reason: 'a NUL, or half a character' }],
      ['width', { row: 10, reason: '1 instead of 2' }], { _sourceId: 'e', n: 5 },
    ]);
  });

  it('are none where a row holds nothing', async () => {
    expect((await csv('key,n\n,\nx,1\n , \n')).items).toEqual([{ _sourceId: 'x', n: 1 }]);
  });

  it.each([
    ['', {}, 'The file is empty'],
    ['a,b\n', {}, 'The file has no column "key"; it has a, b'],
    ['key,a, a\n', {}, 'The file has two columns named "a": the 2. and the 3.'],
    ['key,\nx,1\n,\ny,2\n', {}, 'The file has data in columns without a name, and nothing was imported: line 2 in column 2; line 4 in column 2'],
    ['key,a,b\n', { columns: { a: 'x', b: 'x' } }, 'The columns "a" and "b" become one property, x'],
    ['key,a,a.b\n', {}, 'The column "a.b" would stand inside the value of "a"'],
    ['key,_sourceId\n', {}, 'The columns "key" and "_sourceId" become one property, _sourceId'],
    ['key,a\n', { columns: { a: '_id' } }, 'A property cannot be named _id; give it another name with "columns"'],
    ['key,a.$b\n', {}, 'A property cannot be named a.$b'],
    ['key,a.__proto__\n', {}, 'holds a name that is not allowed'],
    ['key,a..\n', {}, 'is not a path'],
  ] as const)('are none of a file whose columns are wrong: %j', async (text, given, message) => {
    await expect(csv(text, given)).rejects.toThrow(message);
  });
});

describe('items of a sheet', () => {
  const xml = (text: string): WorkbookCell => ({ xml: text });

  it('have the types that their cells have', async () => {
    const date = xml('<c r="@" s="1"><v>45292</v></c>');
    const { items } = await sheet([['key', 'n', 'text', 'on', 'since', 'gap', 'last'], [1_001, 1.5, '007', true, date, null, 'NaN'], [xml('<c r="@" t="str"><v>A-2</v></c>'), 2]], {}, [0, 14]);
    expect(items).toEqual([{ _sourceId: '1001', n: 1.5, text: '007', on: true, since: '2024-01-01' }, { _sourceId: 'A-2', n: 2 }]);
  });

  it('leave out errors and formulas without a value, and say where', async () => {
    const { items, remarks } = await sheet([
      ['key', 'a', 'b'], ['x', xml('<c r="@" t="e"><v>#REF!</v></c>'), xml('<c r="@" t="e"><v>#N/A</v></c>')], ['y', xml('<c r="@"><f>A1</f></c>'), 12_345_678_901_234_567_890],
    ]);
    expect(items).toEqual([{ _sourceId: 'x' }, { _sourceId: 'y', b: '12345678901234567000' }]);
    expect(remarks).toEqual([
      '1 cells hold no value and are left out',
      'Column "a" has 1 cells that are errors, which are left out: row 2 "#REF!"',
      'Column "a" has 1 formulas for which the file has no value, which are left out: row 3. A spreadsheet that opens the file and saves it calculates them',
      'Column "b" has 1 whole numbers above 2^53, which are kept as texts: row 3 "12345678901234567000"',
    ]);
  });

  it('have texts in columns of texts, and names of columns from numbers and dates', async () => {
    expect((await sheet([['key', 2_024, xml('<c r="@" s="1"><v>45292</v></c>')], ['x', 7, 8]], { textColumns: ['2024'] }, [0, 14])).items).toEqual([{ _sourceId: 'x', 2024: '7', '2024-01-01': 8 }]);
  });

  it('are refused without a key, and none of a sheet with data outside of its columns', async () => {
    expect((await sheet([['key', 'n'], [null, 1], [xml('<c r="@" t="e"><v>#N/A</v></c>'), 2]])).items).toEqual([['key', { row: 2, column: 'key', reason: 'none' }], ['key', { row: 3, column: 'key', reason: 'none' }]]);
    await expect(sheet([['key', 'n'], ['x', 1, 'note']])).rejects.toThrow('The file has data in columns without a name, and nothing was imported: row 2 in column 3');
    await expect(sheet([['key', null, 'n'], ['x', 1, 2]])).rejects.toThrow('row 2 in column 2');
  });
});
