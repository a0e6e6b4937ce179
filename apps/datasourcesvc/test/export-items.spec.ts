import { XlsxWorkbook } from '@twinyard/xlsx';
import { exportItems } from '../src/components/export-items/export-items.component';
import { ComponentStep, WorkerDied } from './component-step';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import type { StandInVersion } from './consumer-contract/stand-in-items';
import { NS } from './running-service';

const [UPLOAD, EXPORT] = ['upload a file', 'items as a file'];
const id = (n: number) => n.toString(16).padStart(24, '0');

describe('export_items', () => {
  let platform: PlatformStandIn;
  let target: { readonly _userItemId: string };
  let version: StandInVersion;

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.files.all.clear();
    platform.calls.length = 0;
    platform.disturb = () => undefined;
    target = platform.items.add('assets', 'NamedUserCollection');
    version = platform.items.tip('assets');
    const items = [
      { _id: id(1), _guid: 'g', _sourceId: '007', name: '=HYPERLINK("http://x")', n: -1.5, AHU1: { Supply: 21, Return: { t: 19 } }, on: true, list: [1, 2], _metadata: { _createdAt: 1 } },
      { _id: id(2), _guid: 'g', _sourceId: 'b', name: 'plain, with "quotes"\nand lines', n: 12, on: false, nothing: null, _metadata: { _createdAt: 2 } },
    ];
    for (const item of items) version.items.set(item._id, item);
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(() => platform?.stop());

  const step = (params: object = {}) => new ComponentStep(exportItems, { _userItemId: target._userItemId, ...params }, platform.url);
  const textOf = (name: string) => platform.files.bytesOf(name)?.toString();
  const fill = (count: number) => {
    for (let n = 10; n < count + 10; n += 1) version.items.set(id(n), { _id: id(n), n, text: `item ${n} ${'x'.repeat(50)}` });
  };
  const versionsOf = (name: string) => [...platform.files.all.values()].find((file) => file.name === name)?.versions.size;

  it('writes CSV that is read back as it was, in which nothing is a formula', async () => {
    const one = step();
    const name = `${target._userItemId}.csv`;
    const result = await one.run();
    const file = [...platform.files.all][0];
    expect(result).toEqual({
      _fileId: file?.[0], _fileVersionId: [...(file?.[1].versions?.keys() ?? [])][0], _version: 1, name, format: 'csv', _userItemId: target._userItemId, _userItemVersionId: version._id,
      counts: { rows: 2, columns: 9, bytes: platform.files.bytesOf(name)?.length },
    });
    expect(textOf(name)).toBe([
      '_id,_sourceId,name,n,AHU1.Supply,AHU1.Return.t,on,list,nothing',
      `${id(1)},007,"""=HYPERLINK(\\""http://x\\"")""",-1.5,21,19,true,"[1,2]",`,
      `${id(2)},b,"plain, with ""quotes""\nand lines",12,,,false,,null`,
    ].join('\n') + '\n');
    expect(file?.[1]).toMatchObject({ contentType: 'text/csv; charset=utf-8', namespaces: [NS], parent: 'root' });
    expect(one.log).toEqual([`info: Wrote 2 items to ${name}, ${platform.files.bytesOf(name)?.length} bytes`]);
  });

  it('has the columns that are asked for, in their order and by their names, and a property whole where it holds others', async () => {
    await step({ columns: ['n', 'AHU1', 'no.such'], name: 'a.csv' }).run();
    expect(textOf('a.csv')).toBe('n,AHU1.Supply,AHU1.Return.t,no.such\n-1.5,21,19,\n12,,,\n');
    await step({ columns: { _sourceId: 'Number', 'AHU1.Supply': '=Supply', name: 'Name' }, name: 'b.csv', query: { n: 12 }, delimiter: ';', bom: true }).run();
    expect(textOf('b.csv')).toBe('\ufeffNumber;\\=Supply;Name\nb;;"plain, with ""quotes""\nand lines"\n');
    const asked = platform.calls.filter(({ name }) => name === EXPORT).map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams));
    expect(asked.map(({ project, query }) => [JSON.parse(project ?? '{}'), query])).toEqual([
      [{ n: 1, AHU1: 1, 'no.such': 1, _id: 0 }, undefined], [{ _sourceId: 1, 'AHU1.Supply': 1, name: 1, _id: 0 }, '{"n":12}'],
    ]);
  });

  it('writes workbooks whose cells have types', async () => {
    await step({ format: 'xlsx', name: 'a.xlsx', sort: { n: -1 } }).run();
    const workbook = await XlsxWorkbook.open(platform.files.bytesOf('a.xlsx') as Buffer);
    const rows = [];
    for await (const part of workbook.rows()) for (const { cells } of part.rows) rows.push(Array.from(cells, (cell) => (cell !== undefined && 'value' in cell ? cell.value : null)));
    expect(rows).toEqual([
      ['_id', '_sourceId', 'name', 'n', 'on', 'nothing', 'AHU1.Supply', 'AHU1.Return.t', 'list'],
      [id(2), 'b', 'plain, with "quotes"\nand lines', 12, false],
      [id(1), '007', '=HYPERLINK("http://x")', -1.5, true, null, 21, 19, '[1,2]'],
    ]);
    await expect(step({ format: 'xlsx', name: 'b.xlsx', columns: ['text'], query: { n: 3 } }).run()).resolves.toMatchObject({ counts: { rows: 0, columns: 1 } });
    version.items.set(id(3), { _id: id(3), text: 'x'.repeat(32_768) });
    await expect(step({ format: 'xlsx', name: 'c.xlsx' }).run()).rejects.toThrow('has 32768 characters, and a cell of a workbook has at most 32767; export it as csv, or leave something out');
    expect(versionsOf('c.xlsx')).toBeUndefined();
  });

  it('writes JSON lines as they come', async () => {
    expect(await step({ format: 'ndjson', name: 'a.ndjson' }).run()).toMatchObject({ counts: { rows: 2, bytes: platform.files.bytesOf('a.ndjson')?.length } });
    expect(textOf('a.ndjson')?.split('\n').slice(0, 2).map((line) => (JSON.parse(line) as { _guid: string })._guid)).toEqual(['g', 'g']);
  });

  it('writes a file also of nothing', async () => {
    version.items.clear();
    expect(await step({ name: 'a.csv' }).run()).toMatchObject({ counts: { rows: 0, columns: 0, bytes: 0 } });
    expect(await step({ name: 'b.csv', columns: ['n'] }).run()).toMatchObject({ counts: { rows: 0, columns: 1, bytes: 2 } });
    expect([textOf('a.csv'), textOf('b.csv')]).toEqual(['', 'n\n']);
  });

  it('puts the file where it is told, as a new version where there is one of its name', async () => {
    platform.files.addFolder('reports', [NS, 'other_a1B2c3D4']);
    for (const expected of [1, 2]) expect(await step({ name: 'a (1).csv', _parentId: 'reports', _tags: ['report', 'weekly'] }).run()).toMatchObject({ _version: expected });
    expect([...platform.files.all.values()].filter(({ isFolder }) => !isFolder)).toMatchObject([{ name: 'a (1).csv', parent: 'reports', namespaces: [NS], tags: ['report', 'weekly'] }]);
    platform.addFile('file', 'v', 'no folder', Buffer.from(''));
    await expect(step({ _parentId: 'file' }).run()).rejects.toThrow('no folder is no folder');
    await expect(step({ _parentId: 'nowhere' }).run()).rejects.toThrow('filesvc: There is no file "nowhere"');
    await expect(step({ _userItemId: 'nothing' }).run()).rejects.toThrow('There is no collection nothing that the run may read');
  });

  it('holds no file: a large one passes in pieces', async () => {
    fill(20_000);
    const one = step({ name: 'large.csv' });
    expect(await one.run()).toMatchObject({ counts: { rows: 20_002 } });
    expect(platform.files.bytesOf('large.csv')?.length).toBeGreaterThan(1_500_000);
    expect(one.usage.take()?.bytes).toBeGreaterThan(3_000_000);
  });

  it('makes one file whole although lines break and answers are lost', async () => {
    fill(5_000);
    platform.disturb = ({ name, nth }) => {
      if (name === EXPORT && nth === 1) return 'break off';
      if (name === EXPORT && nth === 2) return { status: 429, headers: { 'retry-after': '0' }, body: { message: 'too many' } };
      return name === UPLOAD && nth === 1 ? 'lose the answer' : undefined;
    };
    expect(await step({ name: 'a.csv' }).run()).toMatchObject({ _version: 1, counts: { rows: 5_002 } });
    expect([versionsOf('a.csv'), platform.count(UPLOAD)]).toEqual([1, 1]);
  });

  it.each([
    ['before it was sent', 'before', 1], ['before it was known to be sent whole', 'sent', 2], ['before it was known to be made', 'made', 1],
  ] as const)('makes one file, when its worker died: %s', async (_, key, exports) => {
    const one = step({ name: 'a.csv' });
    one.diesAt = (progress) => key in (progress as object);
    await expect(one.run()).rejects.toBeInstanceOf(WorkerDied);
    one.diesAt = () => false;
    expect(await one.run()).toMatchObject({ _version: 1, counts: { rows: 2, columns: 9 } });
    expect([versionsOf('a.csv'), platform.count(EXPORT)]).toEqual([1, exports]);
    expect(await one.run()).toMatchObject({ _version: 1 });
    expect(versionsOf('a.csv')).toBe(1);
  });

  it('takes no earlier version of the same bytes for its own', async () => {
    await step({ name: 'a.csv' }).run();
    expect(await new ComponentStep(exportItems, { _userItemId: target._userItemId, name: 'a.csv' }, platform.url, 'another').run()).toMatchObject({ _version: 2 });
  });

  it('stops when it is cancelled, and leaves no file', async () => {
    fill(5_000);
    const controller = new AbortController();
    platform.disturb = ({ name }) => {
      if (name === EXPORT) controller.abort(new Error('cancelled'));
      return undefined;
    };
    await expect(step({ name: 'a.csv' }).run(controller.signal)).rejects.toThrow('cancelled');
    expect(versionsOf('a.csv')).toBeUndefined();
  });

  it('says what does not fit', async () => {
    await expect(step({ format: 'pdf', delimiter: '::' }).run()).rejects.toThrow('format: must be one of csv, xlsx, ndjson; delimiter: must be one character of ASCII, and no quote');
    await expect(step({ columns: ['a..'] }).run()).rejects.toThrow('columns: header: "a.." is not a path');
    await expect(step({ columns: ['a\\.b'], format: 'ndjson' }).run()).rejects.toThrow('columns: "a\\\\.b" has a name with a dot, which ndjson cannot choose');
  });
});
