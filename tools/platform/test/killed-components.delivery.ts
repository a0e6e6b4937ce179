import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { manyWalls } from '@twinyard/testing/ifc-text';
import { workbookFile } from '@twinyard/testing/workbook-files';
import { sampleBuilding } from '../../sample/sample-building';
import type { Fields, Page } from '../../tour/api';
import { ITEMS, makeItem } from '../../tour/steps/items';
import { makeProject, type Project } from '../../tour/steps/project';
import { makeOrchestrator, runTask } from '../../tour/steps/runs';
import { TourLog } from '../../tour/tour-log';
import { HAS_PROC, RunningPlatform } from './running-platform';
import { type LockedTable, type TableLock, Traces } from './traces';

const drill = HAS_PROC ? it : it.skip;
const silent = () => undefined;
/** What a busy machine may take for a start of a service, and then for the end of a lease. */
const PATIENCE = { timeoutMs: 120_000 };
const FILES = '/filesvc/api/v1/files';
const RUNS = '/datasourcesvc/api/v1/orchrun';
const ROWS = 2_500;
const ITEM_WRITES: LockedTable = { service: 'itemsvc', table: 'doc_counters', mode: 'SHARE' };

const READING_WRITES: LockedTable = { service: 'itemsvc', table: 'document_readings', mode: 'SHARE' };

const SCRIPT = `export default async ({ actualParams }, { platform }, ctx) => {
  // As docs/scripts.md says: rows whose ids follow from what they are, are there once.
  await platform.items.related(actualParams.items).bulk(Array.from({ length: ${ROWS} }, (_, n) => ({ _id: n.toString(16).padStart(24, '0'), n })));
  return { written: ${ROWS} };
};`;

/** Each component in the hands of a process that dies in the middle of what it writes; `ifc_import` dies while it writes in `drills.delivery.ts`. */
describe('steps of runs whose process is killed', () => {
  let platform: RunningPlatform;
  let traces: Traces;
  let project: Project;
  let lock: TableLock | undefined;

  beforeAll(async () => {
    platform = await RunningPlatform.start({ REST_CONNECTOR_HOSTS: '127.0.0.1', REST_CONNECTOR_ALLOW_PRIVATE: 'true' });
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: silent }, new TourLog(silent));
    traces = await Traces.open(platform);
  }, 300_000);
  beforeEach(() => platform.ready());
  afterEach(() => lock?.release());
  afterAll(async () => {
    await traces?.close();
    await platform?.remove();
  });

  const upload = async (name: string, content: string | Buffer) => {
    const form = new FormData();
    form.set('file', new Blob([content]), name);
    const [file] = await project.owner.post<Fields[]>(FILES, form, { _namespaces: project.namespace });
    return String(file?.['_id']);
  };
  const item = (userType: string, more: Fields) => makeItem(project, { _name: userType, _shortName: userType, _userType: userType, ...more });
  const collection = (userType: string) => item(userType, { _itemClass: 'NamedUserCollection' });
  const countOf = async (userItemId: string) => (await project.owner.get<Page<Fields>>(`${ITEMS}/${userItemId}/relateditems`, { _pageSize: 1 }))._total;

  const killService = () => platform.kill('datasourcesvc');
  const killChildren = (children: readonly number[]) => children.forEach((pid) => process.kill(pid, 'SIGKILL'));

  const take = async (table: LockedTable): Promise<TableLock> => {
    const taken = await traces.lock(table);
    lock = taken;
    await taken.take();
    return taken;
  };
  const untilWaitedFor = (taken: TableLock) => eventually(async () => expect(await taken.waiting()).not.toEqual([]), PATIENCE);
  const csvOf = (header: string, rows: readonly (readonly unknown[])[]) => [header, ...rows.map((row) => row.join(','))].join('\n');

  /** Runs the component, whose worker dies when it, or the service that it asks, waits for the table. */
  const runKilled = async (component: string, params: Fields, table: LockedTable): Promise<Fields> => {
    const taken = await take(table);
    const ended = runTask(project, { name: component, component, parameters: params });
    ended.catch(() => undefined); // it is awaited below, or what comes before has failed
    await untilWaitedFor(taken);
    killService();
    await taken.release();
    return ended;
  };

  /** Runs the component on a file; `kill` is called while a child of the service that runs `script` works on it. */
  const runKilledAtWork = async (component: string, file: string, script: string, kill: (children: readonly number[]) => void): Promise<Fields> => {
    const children = () => platform.childrenOf('datasourcesvc', script);
    const ended = runTask(project, { name: component, component, parameters: { _fileId: file } });
    ended.catch(() => undefined);
    await eventually(() => expect(children()).toHaveLength(1), PATIENCE);
    kill(children());
    return ended;
  };

  drill('csv_items_import and xlsx_items_import write each row once', async () => {
    const rows = Array.from({ length: ROWS }, (_, n) => [`k${n}`, n] as const);
    const [fromCsv, fromXlsx] = [await collection('drill_csv'), await collection('drill_xlsx')];
    const csv = await upload('rows.csv', csvOf('key,n', rows));
    expect(await runKilled('csv_items_import', { _fileId: csv, _userItemId: fromCsv, keyColumn: 'key' }, ITEM_WRITES)).toMatchObject({ counts: { rows: ROWS, new: ROWS } });
    const xlsx = await upload('rows.xlsx', await workbookFile({ sheets: [{ name: 'Rows', rows: [['key', 'n'], ...rows] }] }));
    expect(await runKilled('xlsx_items_import', { _fileId: xlsx, _userItemId: fromXlsx, keyColumn: 'key' }, ITEM_WRITES)).toMatchObject({ counts: { rows: ROWS, new: ROWS } });
    expect([await countOf(fromCsv), await countOf(fromXlsx)]).toEqual([ROWS, ROWS]);
  }, 600_000);

  drill('csv_telemetry_import writes each reading once', async () => {
    const readings = await item('drill_readings', { _itemClass: 'NamedTelemetryCollection', _tsProperties: { _granularity: 'hours' } });
    await project.owner.post(`${ITEMS}/${readings}/relateditems`, [{ _sourceId: 'drill' }]);
    const from = Date.UTC(2026, 0, 1);
    const csv = await upload('readings.csv', csvOf('timestamp,value', Array.from({ length: ROWS }, (_, n) => [new Date(from + n * 60_000).toISOString(), n])));
    await runKilled('csv_telemetry_import', { _fileId: csv, _userItemId: readings, _sourceId: 'drill' }, READING_WRITES);
    const [sum] = (await project.owner.post<{ _list: Fields[] }>(`${ITEMS}/${readings}/relateditems/readings/aggregate`, [{ $group: { _id: null, readings: { $sum: 1 }, sum: { $sum: '$value' } } }]))._list;
    expect(sum).toMatchObject({ readings: ROWS, sum: (ROWS * (ROWS - 1)) / 2 });
    expect(await countOf(readings)).toBe(1);
  }, 600_000);

  drill('an import whose right is withdrawn in the middle ends with what it was refused', async () => {
    const { owner, outsider, namespace } = project;
    const items = await collection('drill_withdrawn');
    const file = await upload('withdrawn.csv', csvOf('key,n', Array.from({ length: ROWS }, (_, n) => [`k${n}`, n])));
    const { _success: [granted] } = await owner.put<{ _success: Fields[] }>('/passportsvc/api/v1/permissions', [{ _namespace: namespace, _actions: ['*'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: outsider.id } }]);
    const taken = await take(ITEM_WRITES);
    const task = { name: 'Withdrawn', component: 'csv_items_import', parameters: { _fileId: file, _userItemId: items, keyColumn: 'key' } };
    const { id } = await outsider.api.post(RUNS, { orchestratorId: await makeOrchestrator({ ...project, owner: outsider.api }, task) });
    await untilWaitedFor(taken);
    await owner.request('DELETE', `/passportsvc/api/v1/permissions/${String(granted?.['_id'])}`);
    await taken.release();
    await eventually(async () => {
      const [run] = await owner.get<Fields[]>(`${RUNS}/${String(id)}`);
      expect(run).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _statusmsg: expect.stringMatching(/^itemsvc: There is no item /) }] });
    }, PATIENCE);
    expect(await countOf(items)).toBeLessThan(ROWS);
  }, 600_000);

  drill('cobie_import makes one model', async () => {
    const components = Array.from({ length: ROWS }, (_, n) => [`C${n}`, 'Pump', `${n % 7}`] as const);
    const file = await upload('cobie.xlsx', await workbookFile({
      sheets: [
        { name: 'Space', rows: [['Name'], ...Array.from({ length: 7 }, (_, n) => [String(n)])] }, { name: 'Type', rows: [['Name'], ['Pump']] },
        { name: 'Component', rows: [['Name', 'TypeName', 'Space'], ...components] },
      ],
    }));
    expect(await runKilled('cobie_import', { _fileId: file }, ITEM_WRITES)).toMatchObject({ counts: { cobie_components: ROWS, relations: 2 * ROWS } });
    const models = await project.owner.get<Page<Fields>>(ITEMS, { query: { _userType: { $in: ['cobie_model_version', 'cobie_components'] } } });
    expect(models._list.map(({ _tipVersion }) => _tipVersion)).toEqual([1, 1]);
    expect(await countOf(String(models._list.find(({ _userType }) => _userType === 'cobie_components')?.['_userItemId']))).toBe(ROWS);
  }, 600_000);

  drill('ifc_import makes one model, whether the process that reads the file dies or the service that waits for it', async () => {
    const walls = 30_000;
    const file = await upload('walls.ifc', manyWalls(walls));
    const models = async () => (await project.owner.get<Page<Fields>>(ITEMS, { query: { _userType: { $in: ['bim_model_version', 'rvt_elements'] } } }))._list;
    await expect(runKilledAtWork('ifc_import', file, 'ifc-child.js', killChildren)).rejects.toThrow('The process that reads the IFC file has ended (SIGKILL)');
    expect(await models()).toEqual([]);
    expect(await runKilledAtWork('ifc_import', file, 'ifc-child.js', killService)).toMatchObject({ counts: { elements: walls, skipped: 0 } });
    const made = await models();
    expect(made.map(({ _tipVersion }) => _tipVersion)).toEqual([1, 1]);
    expect(await countOf(String(made.find(({ _userType }) => _userType === 'rvt_elements')?.['_userItemId']))).toBe(walls);
    expect(readdirSync(join(platform.dataDir, 'models'))).toEqual([]);
  }, 600_000);

  drill('geometry makes one file of one version, whether the process that converts the model dies, the service that waits for it, or the service that sends the file', async () => {
    const building = sampleBuilding();
    const deaths: Readonly<Record<string, (file: string) => Promise<Fields>>> = {
      'process.ifc': (file) => runKilledAtWork('geometry', file, 'geometry-worker.js', killChildren),
      'service.ifc': (file) => runKilledAtWork('geometry', file, 'geometry-worker.js', killService),
      'sender.ifc': (file) => runKilled('geometry', { _fileId: file }, { service: 'filesvc', table: 'file_version', mode: 'SHARE' }),
    };
    for (const [name, run] of Object.entries(deaths)) {
      const { _fileId, counts } = await run(await upload(name, building)) as { _fileId: string; counts: { withGeometry: number; withoutGeometry: number } };
      expect(counts.withGeometry).toBeGreaterThan(20);
      expect(counts.withoutGeometry).toBe(0);
      const { _list } = await project.owner.get<Page<Fields>>(FILES, { _name: name.replace('.ifc', '.frag') });
      expect(_list).toMatchObject([{ _id: _fileId, _tipVersion: 1 }]);
    }
  }, 600_000);

  drill('default_script_target is begun again, and rows that it gives ids are there once', async () => {
    const items = await collection('drill_script');
    await item('drill_job', { _itemClass: 'Script', _version: { _userAttributes: {}, _userData: SCRIPT } });
    expect(await runKilled('default_script_target', { userType: 'drill_job', items }, ITEM_WRITES)).toEqual({ written: ROWS });
    expect(await countOf(items)).toBe(ROWS);
  }, 600_000);

  drill('export_items makes one file of one version', async () => {
    const items = await collection('drill_export');
    await project.owner.post(`${ITEMS}/${items}/relateditems/bulk`, Array.from({ length: 500 }, (_, n) => ({ n })));
    const { _fileId } = await runKilled('export_items', { _userItemId: items, format: 'csv', name: 'drill.csv' }, { service: 'filesvc', table: 'file_version', mode: 'SHARE' });
    const { _list } = await project.owner.get<Page<Fields>>(FILES, { _name: 'drill.csv' });
    expect(_list).toMatchObject([{ _id: _fileId, _tipVersion: 1 }]);
  }, 600_000);

  drill('rest_connector asks again under the same key, and makes one file of one version', async () => {
    const keys: unknown[] = [];
    const endpoint = createServer((request, response) => {
      request.resume();
      if (request.method === 'GET') return void response.end(Buffer.alloc(3_000_000, 'x'));
      keys.push(request.headers['idempotency-key']);
      // Nobody is there any more to hear of the first.
      if (keys.length > 1) response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
    });
    await once(endpoint.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`;
    try {
      const asked = runTask(project, { name: 'rest_connector', component: 'rest_connector', parameters: { url, method: 'POST', body: { n: 1 } } });
      asked.catch(() => undefined);
      await eventually(() => expect(keys).toHaveLength(1), PATIENCE);
      killService();
      expect(await asked).toMatchObject({ status: 200, body: { done: true } });
      expect(keys).toEqual([expect.any(String), keys[0]]);
      const { file } = await runKilled('rest_connector', { url, _toFile: { name: 'drill.bin' } }, { service: 'filesvc', table: 'file_version', mode: 'SHARE' }) as { file: Fields };
      const { _list } = await project.owner.get<Page<Fields>>(FILES, { _name: 'drill.bin' });
      expect([file, _list]).toMatchObject([{ _size: 3_000_000, _version: 1 }, [{ _id: file['_fileId'], _tipVersion: 1 }]]);
    } finally {
      endpoint.closeAllConnections();
      endpoint.close();
    }
  }, 600_000);

  drill('notify tells, and says so', async () => {
    const { _eventId } = await runKilled('notify', { name: 'drill.told', message: 'Told by a drill' }, { service: 'notificationsvc', table: 'event_outbox', mode: 'SHARE' });
    expect(_eventId).toEqual(expect.any(String));
  }, 600_000);
});
