import { workbookFile } from '@twinyard/testing/workbook-files';
import { XlsxWorkbook } from '@twinyard/xlsx';
import { builtInComponents } from '../src/components/built-in-components';
import type { Component } from '../src/components/component';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { EXPECTED_BY_SCRIPTS } from './consumer-contract/script-contract';
import { NS } from './running-service';
import { ScriptStep, type ScriptStepOptions } from './script-step';
import { guideExamples } from './scripts-guide';

/** It is no script, but runs one: scripts-guide.http.spec.ts. */
const PROGRAM = 'try';

describe('the examples of the guide to scripts', () => {
  const examples = guideExamples();
  const seen = new Set<string>([PROGRAM]);
  let platform: PlatformStandIn;
  let target: Component;
  let rooms: string;
  let results: string;

  beforeAll(async () => {
    platform = await PlatformStandIn.start(EXPECTED_BY_SCRIPTS);
    target = builtInComponents({ scripts: { threads: 1, instantThreads: 1, seconds: 60 } }).find(({ name }) => name === 'default_script_target') as Component;
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.calls.length = 0;
    for (const [name, source] of examples) platform.items.addScript(name, source);
    const collection = platform.items.add('rooms', 'NamedUserCollection');
    [rooms, results] = [collection._userItemId, platform.items.add('results', 'NamedUserCollection')._userItemId];
    Array.from({ length: 1_100 }, (_, n) => n).forEach((n) => {
      const _id = n.toString(16).padStart(24, '0');
      collection.versions[0]?.items.set(_id, { _id, storey: n % 2 === 0 ? 'EG' : 'OG', area: 10.04 });
    });
    platform.addFile('settings', 'settings-1', 'settings.json', Buffer.from('{ "delimiter": ";" }'));
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(async () => {
    await target.close?.();
    await platform?.stop();
  });

  function example(userType: string, { params = {}, ...options }: ScriptStepOptions = {}): ScriptStep {
    seen.add(userType);
    return new ScriptStep(target, platform.url, { ...options, params: { userType, ...params } });
  }

  it('greets', async () => {
    const step = example('hello', { params: { name: 'Ada' } });
    expect(await step.run()).toEqual({ greeting: 'Hello Ada' });
    expect(step.log.at(-1)).toMatch(/^info Hello from a script \{"run":"[0-9a-f-]{36}"\}$/);
    expect(await example('hello').run()).toEqual({ greeting: 'Hello world' });
  });

  it('sums up, with what it imports', async () => {
    seen.add('numbers');
    const sums = (await example('areas', { params: { rooms, results } }).run()) as Record<string, number>;
    expect(Object.keys(sums)).toEqual(['EG', 'OG']);
    expect([...platform.items.tip('results').items.values()]).toMatchObject([{ storey: 'EG', area: 5_522, day: '2024-03-31' }, { storey: 'OG', area: 5_522, day: '2024-03-31' }]);
  });

  it('reads, changes and writes back', async () => {
    const step = example('correct', { params: { rooms } });
    expect(await step.run()).toEqual({ changed: 1_100 });
    expect([...platform.items.tip('rooms').items.values()].every(({ area, areaInFeet }) => areaInFeet === Number(area) * 10.764)).toBe(true);
    expect(step.reports.at(-1)).toEqual({ _done: 1_100 });
    expect(platform.count('change rows in bulk')).toBe(3);
  });

  it('reads and writes files', async () => {
    expect(await example('report', { params: { settings: 'settings' }, inparams: { EG: 1, OG: 2 } }).run()).toEqual({ fileId: 'file of areas.csv' });
    expect(platform.files.get('file of areas.csv')?.versions.get('version of areas.csv')?.toString()).toBe('storey,area\nEG;1\nOG;2');
  });

  it('reads rows of files', async () => {
    platform.addFile('assets', 'assets-1', 'assets.csv', Buffer.from('Room;Area\n007;1.024,5\n1E5;2,5\nyard;-\n'));
    const step = example('assets', { params: { file: 'assets', assets: results } });
    expect(await step.run()).toEqual({ rows: 2 });
    expect([...platform.items.tip('results').items.values()]).toMatchObject([{ room: '007', area: 1_024.5 }, { room: '1E5', area: 2.5 }]);
    expect(step.reports.at(-1)).toEqual({ _done: 2 });
    const rows = [['Plan'], [], ['Asset', 'Next service'], ['AHU1', '2024-03-31'], ['AHU2', '2024-04-01']];
    platform.addFile('plan', 'plan-1', 'plan.xlsx', await workbookFile({ sheets: [{ name: 'Cover', rows: [] }, { name: 'Maintenance', rows }] }));
    expect(await example('due', { params: { file: 'plan' } }).run()).toEqual(['AHU1']);
  });

  it('writes rows to files, and to texts', async () => {
    expect(await example('room-list', { params: { rooms } }).run()).toEqual({ fileId: 'file of rooms.csv', fileVersionId: 'version of rooms.csv' });
    expect(platform.files.bytesOf('rooms.csv')?.toString().split('\n').slice(0, 3)).toEqual(['\ufeffStorey;Area', 'EG;10.04', 'OG;10.04']);
    expect(await example('storeys', { inparams: { EG: 1, OG: 2.5 } }).run()).toBe('file of storeys.xlsx');
    const workbook = await XlsxWorkbook.open(platform.files.bytesOf('storeys.xlsx') as Buffer);
    const cells: unknown[] = [];
    for await (const part of workbook.rows('Areas')) for (const row of part.rows) cells.push(row.cells.map((cell) => (cell !== undefined && 'value' in cell ? cell.value : null)));
    expect(cells).toEqual([['Storey', 'Area'], ['EG', 1], ['OG', 2.5]]);
    expect(await example('forecast', { params: { text: 'day;temperature;wind\n2024-07-01;26.5;3\n2024-07-02;19;4\n' } }).run()).toBe('day,temperature\n2024-07-01,26.5\n');
  });

  it('reckons with dates', async () => {
    expect(await example('yesterday', { params: { timezone: 'Europe/Zurich' } }).run()).toEqual({ day: '2024-03-30', from: '2024-03-29T23:00:00.000Z', to: '2024-03-30T23:00:00.000Z', hours: 24 });
  });

  it('minds errors, or does not', async () => {
    expect(await example('careful', { params: { file: 'nothing' } }).run()).toEqual({ name: null });
    expect(await example('careful', { params: { file: 'settings' } }).run()).toEqual({ name: 'settings.json' });
    platform.disturb = ({ name }) => (name === 'a file' ? { status: 403, body: { message: 'not for you', code: 'forbidden' } } : undefined);
    await expect(example('careful', { params: { file: 'settings' } }).run()).rejects.toThrow('filesvc: not for you (line 4)');
    platform.disturb = () => undefined;
  });

  it('writes once', async () => {
    expect(await example('once', { params: { reportType: 'monthly' } }).run()).toEqual({ report: platform.items.ofType('monthly')._userItemId });
    expect(platform.calls.at(-1)?.body).toMatchObject([{ _name: 'Report', _namespaces: [NS] }]);
  });

  it('is typed', async () => {
    expect(await example('typed', { params: { collection: rooms } }).run()).toBe(1_100);
  });

  it('are all run', () => {
    expect([...seen].sort()).toEqual([...examples.keys()].sort());
  });
});
