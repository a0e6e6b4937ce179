import { eventually } from '@twinyard/testing';
import { workbookFile } from '@twinyard/testing/workbook-files';
import { builtInComponents } from '../src/components/built-in-components';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { addressesAt, NS, type RunBody, RunningService, RUNS } from './running-service';

const COMPONENTS = '/datasourcesvc/api/v1/orchcomponents';

describe('runs that import and export items', () => {
  let service: RunningService;
  let platform: PlatformStandIn;
  let owner: string;
  let target: { _userItemId: string };

  beforeAll(async () => {
    platform = await PlatformStandIn.start();
    service = await RunningService.start(builtInComponents(), addressesAt(platform.url));
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.calls.length = 0;
    platform.disturb = () => undefined;
    target = platform.items.add('assets', 'NamedUserCollection');
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(async () => {
    await service?.stop();
    await platform?.stop();
  });

  const start = async (component: string, params: object) => service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: component, _actualparams: { _userItemId: target._userItemId, keyColumn: 'key', ...params } }]));
  const run = async (component: string, params: object): Promise<RunBody> => service.ended(owner, (await start(component, params)).id);
  const items = () => [...platform.items.tip('assets').items.values()].map(({ _id, ...item }) => item);

  it('tell in log, progress and result what became of the rows', async () => {
    platform.addFile('csv', 'csv-1', 'assets.csv', Buffer.from('key;n;AHU1.Supply\na;1;21,5\n;2;3\nb;2;NaN\n'));
    const { id } = await start('csv_items_import', { _fileId: 'csv', decimalSeparator: ',' });
    const done = await service.ended(owner, id);
    expect(done).toMatchObject({ _status: 'COMPLETED', _progress: { _done: 2, _total: 2, skipped: 1 } });
    expect(JSON.parse(done._result as string)).toMatchObject({ counts: { rows: 3, new: 2, refused: 1 }, refused: [{ kind: 'key', count: 1, first: [{ row: 3, column: 'key', reason: 'none' }] }] });
    expect(items()).toEqual([{ _sourceId: 'a', n: 1, AHU1: { Supply: 21.5 } }, { _sourceId: 'b', n: 2 }]);
    const messages = (await service.log(owner, id)).map(({ level, message }) => `${level} ${message}`);
    expect(messages).toEqual(expect.arrayContaining([
      'info assets.csv has 3 rows', 'warn 1 row is refused, since they have no key that an item can be known by: line 3 in column "key": none', 'info Wrote 2 rows: 2 new, 0 changed, 0 unchanged, 0 kept',
    ]));
  });

  it('read workbooks, and end with a sentence for one that is not to be read', async () => {
    platform.addFile('xlsx', 'xlsx-1', 'assets.xlsx', await workbookFile({ sheets: [{ name: 'Assets', rows: [['key', 'n'], ['a', 1]] }] }));
    expect(await run('xlsx_items_import', { _fileId: 'xlsx', sheet: 'Assets' })).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _status: 'COMPLETED' }] });
    expect(items()).toEqual([{ _sourceId: 'a', n: 1 }]);
    platform.addFile('xlsm', 'xlsm-1', 'assets.xlsm', await workbookFile({ sheets: [{ name: 'S', rows: [] }], contentType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' }));
    expect(await run('xlsx_items_import', { _fileId: 'xlsm' })).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _statusmsg: 'The workbook has macros, and such files are not read; save it as .xlsx' }] });
  });

  it('are cancelled between two batches', async () => {
    platform.addFile('csv', 'csv-1', 'assets.csv', Buffer.from(`key\n${Array.from({ length: 2_500 }, (_, n) => `k${n}\n`).join('')}`));
    platform.disturb = ({ name, nth }) => (name.startsWith('make and change') && nth === 2 ? 'hold' : undefined);
    const { id } = await start('csv_items_import', { _fileId: 'csv' });
    await eventually(() => platform.count('make and change') === 2);
    await service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED' });
    expect([platform.count('make and change'), items().length]).toEqual([2, 1_000]);
  });

  it('write items to a file, which the other reads back', async () => {
    const made = { _id: 'a'.repeat(24), _sourceId: '=1', n: 1, AHU1: { Supply: 21.5 } };
    platform.items.tip('assets').items.set(made._id, made);
    const done = await service.ended(owner, (await service.startRun(owner, await service.orchestrator(owner, [{ _orchcomp: 'export_items', _actualparams: { _userItemId: target._userItemId, format: 'xlsx', name: 'assets.xlsx' } }]))).id);
    expect(done).toMatchObject({ _status: 'COMPLETED' });
    const { _fileId, counts } = JSON.parse(done._result as string) as { _fileId: string; counts: object };
    expect(counts).toMatchObject({ rows: 1, columns: 4 });
    expect(await run('xlsx_items_import', { _fileId, keyColumn: '_sourceId' })).toMatchObject({ _status: 'COMPLETED', _result: expect.stringContaining('"unchanged":1') });
    expect([...platform.items.tip('assets').items.values()]).toEqual([made]);
  });

  it('tell of it, in a step behind', async () => {
    platform.addFile('csv', 'csv-1', 'assets.csv', Buffer.from('key\na\n'));
    const tasks = [
      { _orchcomp: 'csv_items_import', _sequenceno: 1, _actualparams: { _fileId: 'csv', _userItemId: target._userItemId, keyColumn: 'key' } },
      { _orchcomp: 'notify', _sequenceno: 2, _actualparams: { name: '{{inparams.counts.new}} new assets' } },
    ];
    const done = await service.ended(owner, (await service.startRun(owner, await service.orchestrator(owner, tasks))).id);
    expect(done).toMatchObject({ _status: 'COMPLETED' });
    expect([...platform.notices]).toMatchObject([[done.orchrunsteps[1]?.id, { _name: '1 new assets', _namespaces: [NS] }]]);
  });

  it('are written with parameters that fit, and shown with them', async () => {
    const { body } = await service.call(owner, 'get', `${COMPONENTS}?_pageSize=100`).expect(200);
    const shown = (body as { _list: { _name: string; _schema: { required: string[]; properties: Record<string, unknown> } }[] })._list;
    for (const name of ['csv_items_import', 'xlsx_items_import']) {
      const schema = shown.find(({ _name }) => _name === name)?._schema;
      expect(schema).toMatchObject({ required: ['_fileId', '_userItemId', 'keyColumn'], properties: { onConflict: { enum: ['merge', 'replace', 'keep'], default: 'merge' }, textColumns: { type: 'array', default: [] } } });
    }
    const wrong = { tasks: [{ _orchcomp: 'xlsx_items_import', _actualparams: { headerRow: 0, columns: [] } }] };
    const answer = await service.call(owner, 'post', '/datasourcesvc/api/v1/orchestrators').send({ _name: 'Wrong', _namespaces: [NS], _params: wrong }).expect(400);
    expect(JSON.stringify(answer.body.details)).toContain('headerRow');
  });
});
