import { workbookFile, type WorkbookOptions } from '@twinyard/testing/workbook-files';
import { csvItemsImport } from '../src/components/items-import/csv-items-import.component';
import { xlsxItemsImport } from '../src/components/items-import/xlsx-items-import.component';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';

const UPSERT = 'make and change items';

interface Written {
  readonly counts: Readonly<Record<string, number>>;
  readonly refused: readonly { readonly kind: string; readonly count: number; readonly first: readonly object[] }[];
}

describe('imports of items', () => {
  let platform: PlatformStandIn;
  let target: { _userItemId: string };

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.calls.length = 0;
    platform.disturb = () => undefined;
    target = platform.items.add('assets', 'NamedUserCollection');
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(() => platform?.stop());

  const csvStep = (text: string | Buffer, params: object = {}, stepId?: string) => {
    platform.addFile('csv', 'csv-1', 'assets.csv', Buffer.from(text));
    return new ComponentStep(csvItemsImport, { _fileId: 'csv', _userItemId: target._userItemId, keyColumn: 'key', ...params }, platform.url, stepId);
  };
  const xlsxStep = async (options: WorkbookOptions | Buffer, params: object = {}) => {
    platform.addFile('xlsx', 'xlsx-1', 'assets.xlsx', Buffer.isBuffer(options) ? options : await workbookFile(options));
    return new ComponentStep(xlsxItemsImport, { _fileId: 'xlsx', _userItemId: target._userItemId, keyColumn: 'key', ...params }, platform.url);
  };
  const items = () => [...platform.items.tip('assets').items.values()].map(({ _id, ...item }) => item);
  const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `k${n + from},${n},${'x'.repeat(20)}\n`).join('');

  describe('csv_items_import', () => {
    it('makes items, changes those that are there, and says what became of the rows', async () => {
      const step = csvStep('key,n,AHU1.Supply\na,1,21\nb,2,22\n');
      expect(await step.run()).toEqual({
        _fileId: 'csv', _fileVersionId: 'csv-1', _userItemId: target._userItemId, _userItemVersionId: platform.items.tip('assets')._id,
        counts: { rows: 2, new: 2, changed: 0, unchanged: 0, kept: 0, refused: 0, repeated: 0 }, refused: [],
      });
      expect(items()).toEqual([{ _sourceId: 'a', n: 1, AHU1: { Supply: 21 } }, { _sourceId: 'b', n: 2, AHU1: { Supply: 22 } }]);
      expect(step.log).toEqual(['info: assets.csv has 2 rows', 'info: Wrote 2 rows: 2 new, 0 changed, 0 unchanged, 0 kept']);
      const again = csvStep('key,m,n\na,5,1\nb,,2\nc,,3\n', {}, 'another');
      expect(((await again.run()) as Written).counts).toMatchObject({ rows: 3, new: 1, changed: 1, unchanged: 1 });
      expect(items()).toEqual([{ _sourceId: 'a', n: 1, m: 5, AHU1: { Supply: 21 } }, { _sourceId: 'b', n: 2, AHU1: { Supply: 22 } }, { _sourceId: 'c', n: 3 }]);
      expect(again.reports).toEqual([{ _done: 3, _total: 3, skipped: 0 }]);
    });

    it.each([['replace', { n: 2 }, 'changed'], ['keep', { n: 1, old: true }, 'kept']] as const)('has items that are there as onConflict says: %s', async (onConflict, left, figure) => {
      await csvStep('key,n,old\na,1,true\n').run();
      expect(((await csvStep('key,n\na,2\n', { onConflict }, 'another').run()) as Written).counts[figure]).toBe(1);
      expect(items()).toEqual([{ _sourceId: 'a', ...left }]);
    });

    it('writes batches of a thousand, into the version that was the tip when it began', async () => {
      const step = csvStep(`key,n,text\n${many(2_500)}`);
      const first = platform.items.tip('assets')._id;
      platform.disturb = ({ name, nth }) => {
        if (name.startsWith(UPSERT) && nth === 1) platform.items.ofType('assets').versions.push({ _id: 'f'.repeat(24), _version: 2, _userAttributes: {}, items: new Map(), relations: new Set(), members: new Map() });
        return undefined;
      };
      expect(((await step.run()) as Written).counts).toMatchObject({ rows: 2_500, new: 2_500 });
      expect(platform.calls.filter(({ name }) => name.startsWith(UPSERT)).map(({ body }) => (body as unknown[]).length)).toEqual([1_000, 1_000, 500]);
      expect([platform.items.ofType('assets').versions[0]?.items.size, platform.items.tip('assets').items.size, first === platform.items.ofType('assets').versions[0]?._id]).toEqual([2_500, 0, true]);
    });

    it('writes fewer at once where they are large', async () => {
      await csvStep(`key,text\n${['a', 'b', 'c'].map((key) => `${key},${'x'.repeat(2_500_000)}\n`).join('')}`).run();
      expect(platform.calls.filter(({ name }) => name.startsWith(UPSERT)).map(({ body }) => (body as unknown[]).length)).toEqual([1, 1, 1]);
    });

    it('has the last row of a key count, and says which they are', async () => {
      const step = csvStep('key,n,m\na,1,7\nb,2,\na,3,\n a ,4,\n');
      expect(((await step.run()) as Written).counts).toMatchObject({ rows: 4, new: 2, changed: 2, repeated: 2 });
      expect(items()).toEqual([{ _sourceId: 'a', n: 4, m: 7 }, { _sourceId: 'b', n: 2 }]);
      expect(step.said('warn')).toContain('2 rows have a key that an earlier row has, and are written behind it: line 4 "a", line 5 "a"');
    });

    it('leaves out the rows that cannot be taken, here or there, and says which and why', async () => {
      const step = csvStep('key,n,refused\na,1,\n,2,\nb,3,not like this\nc,4\nd,5,\n');
      const result = (await step.run()) as Written;
      expect(result.counts).toMatchObject({ rows: 5, new: 2, refused: 3 });
      expect(result.refused).toEqual([
        { kind: 'key', count: 1, first: [{ row: 3, column: 'key', reason: 'none' }] },
        { kind: 'width', count: 1, first: [{ row: 5, reason: '2 instead of 3' }] },
        { kind: 'service', count: 1, first: [{ row: 4, reason: 'refused: not like this' }] },
      ]);
      expect(step.said('warn')).toEqual([
        '2 cells hold no value and are left out',
        '1 row is refused, since they have no key that an item can be known by: line 3 in column "key": none',
        '1 row is refused, since they have another number of cells than the header: line 5: 2 instead of 3',
        '1 row is refused, since itemsvc does not take them: line 4: refused: not like this',
      ]);
      expect(items().map(({ _sourceId }) => _sourceId)).toEqual(['a', 'd']);
    });

    it('names ten rows of a kind and counts the others', async () => {
      const step = csvStep(`key,n\n${',1\n'.repeat(25)}a,1\n`);
      const { refused } = (await step.run()) as Written;
      expect(refused.map(({ count, first }) => [count, first.length])).toEqual([[25, 10]]);
      expect(step.said('warn').at(-1)).toMatch(/^25 rows are refused, since .*line 11 in column "key": none; and 15 more$/);
    });

    it('fails where all rows are refused, and where there is no such collection', async () => {
      await expect(csvStep('key,n\n,1\n,2\n').run()).rejects.toThrow('All 2 rows of assets.csv are refused; the log says why');
      await expect(csvStep('key,refused\na,1\n').run()).rejects.toThrow('All 1 rows');
      await expect(csvStep('key\na\n', { _userItemId: 'nothing' }).run()).rejects.toThrow('There is no collection nothing that the run may read');
      expect(((await csvStep('key,n\n').run()) as Written).counts).toMatchObject({ rows: 0, new: 0 });
    });

    it('writes nothing of a file whose columns are wrong, however far behind that shows', async () => {
      await expect(csvStep(`key,\n${'a,\n'.repeat(3_000)}b,1\n`).run()).rejects.toThrow('The file has data in columns without a name, and nothing was imported: line 3002 in column 2');
      await expect(csvStep(Buffer.from('key,n\na,\xe4\n', 'latin1')).run()).rejects.toThrow('All 1 rows');
      await expect(csvStep('key,n\n', { encoding: 'klingon' }).run()).rejects.toThrow('The file is not CSV: there is no encoding "klingon"');
      expect([items(), platform.count(UPSERT)]).toEqual([[], 0]);
      expect(((await csvStep(Buffer.from('key;n\na;\xe4\n', 'latin1'), { encoding: 'windows-1252' }).run()) as Written).counts).toMatchObject({ new: 1 });
    });

    it('makes nothing twice although answers are lost, and its figures are right all the same', async () => {
      platform.disturb = ({ name, nth }) => {
        if (name.startsWith(UPSERT) && nth === 1) return 'lose the answer';
        if (name.startsWith(UPSERT) && nth === 3) return { status: 503, headers: { 'retry-after': '0' }, body: { message: 'away' } };
        return name.includes('bytes') && nth === 1 ? 'lose the answer' : undefined;
      };
      expect(((await csvStep(`key,n,text\n${many(2_500)}`).run()) as Written).counts).toMatchObject({ rows: 2_500, new: 2_500, changed: 0, unchanged: 0 });
      expect(items()).toHaveLength(2_500);
    });

    it('goes on, after its worker died, with the batch that was not written down, and counts it once', async () => {
      const step = csvStep(`key,n,text\n${many(2_500)},7,\n`);
      let saved = 0;
      step.diesAt = (progress) => 'written' in (progress as object) && ++saved === 2;
      await expect(step.run()).rejects.toBeInstanceOf(WorkerDied);
      expect(items()).toHaveLength(2_000);
      const before = platform.count(UPSERT);
      step.diesAt = () => false;
      // What was uploaded meanwhile is another version.
      platform.addFile('csv', 'csv-2', 'assets.csv', Buffer.from('key\nother\n'));
      const { counts } = (await step.run()) as Written;
      expect(counts).toEqual({ rows: 2_501, new: 2_500, changed: 0, unchanged: 0, kept: 0, refused: 1, repeated: 0 });
      expect([platform.count(UPSERT) - before, items().length]).toEqual([2, 2_500]);
    });

    it('stops when it is cancelled', async () => {
      const controller = new AbortController();
      const step = csvStep(`key,n,text\n${many(2_500)}`);
      platform.disturb = ({ name, nth }) => {
        if (name.startsWith(UPSERT) && nth === 2) controller.abort(new Error('cancelled'));
        return undefined;
      };
      await expect(step.run(controller.signal)).rejects.toThrow('cancelled');
      expect(platform.count(UPSERT)).toBe(2);
    });

    it('says what is missing, and what does not fit', async () => {
      const run = (params: object) => new ComponentStep(csvItemsImport, { _fileId: 'csv', ...params } as Record<string, unknown>, platform.url).run();
      await expect(run({})).rejects.toThrow('_userItemId: is required; keyColumn: is required');
      await expect(run({ _userItemId: 'x', keyColumn: 'k', onConflict: 'guess', textColumns: 'a' })).rejects.toThrow('textColumns: must be an array; onConflict: must be one of merge, replace, keep');
    });
  });

  describe('xlsx_items_import', () => {
    it('makes items of the rows of a sheet, with the types of its cells', async () => {
      const sheets = [
        { name: 'Cover', rows: [['Assets of the north wing']] },
        { name: 'Assets', rows: [['List'], [], ['key', 'n', 'on', 'since'], [1_001, 1.5, true, { xml: '<c r="@" s="1"><v>45292</v></c>' }], ['A-2', 2, null, '-']], more: '<mergeCells><mergeCell ref="A1:D1"/></mergeCells>' },
      ];
      const step = await xlsxStep({ sheets, formats: [0, 14] }, { sheet: 'assets', headerRow: 3 });
      expect(((await step.run()) as Written).counts).toMatchObject({ rows: 2, new: 2, refused: 0 });
      expect(items()).toEqual([{ _sourceId: '1001', n: 1.5, on: true, since: '2024-01-01' }, { _sourceId: 'A-2', n: 2 }]);
      expect(step.log).toEqual([
        'info: assets.xlsx has 2 rows', 'warn: 2 cells hold no value and are left out', 'warn: The sheet has 1 ranges of merged cells: of each its first cell alone has a value',
        'info: Wrote 2 rows: 2 new, 0 changed, 0 unchanged, 0 kept',
      ]);
    });

    it('goes on after its worker died, as the other does', async () => {
      const rows = [['key', 'n'], ...Array.from({ length: 1_500 }, (_, n) => [n, n])];
      const step = await xlsxStep({ sheets: [{ name: 'S', rows }] });
      step.diesAt = (progress) => 'written' in (progress as object);
      await expect(step.run()).rejects.toBeInstanceOf(WorkerDied);
      step.diesAt = () => false;
      expect(((await step.run()) as Written).counts).toMatchObject({ rows: 1_500, new: 1_500, changed: 0, unchanged: 0 });
      expect(items()).toHaveLength(1_500);
    });

    it.each([
      ['macros', { contentType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' }, {}, 'The workbook has macros, and such files are not read; save it as .xlsx'],
      ['a bomb', { parts: { 'xl/worksheets/sheet1.xml': Buffer.alloc(64 * 1_048_576, ' ') } }, {}, 'grows to more than 200 times its size'],
      ['another sheet', {}, { sheet: 'Other' }, 'The workbook has no sheet "Other"; it has "S"'],
      ['an empty header', {}, { headerRow: 2 }, 'Row 2 of the sheet is empty, and names no columns'],
      ['no rows behind', {}, { headerRow: 9 }, 'The file is empty'],
    ] as const)('writes nothing of a workbook that is not to be read, and says why: %s', async (_, options, params, message) => {
      const step = await xlsxStep({ sheets: [{ name: 'S', rows: [['key'], [], ['a']] }], ...options }, params);
      await expect(step.run()).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(message) });
      expect([items(), platform.count(UPSERT)]).toEqual([[], 0]);
    });

    it('takes no more than 50 MB, and no CSV', async () => {
      await expect((await xlsxStep(Buffer.alloc(50 * 1_048_576 + 1))).run()).rejects.toThrow('The file is larger than the 50 MB that can be read');
      await expect((await xlsxStep(Buffer.from('key\na\n'))).run()).rejects.toThrow('The file is no workbook (.xlsx)');
    });
  });
});
