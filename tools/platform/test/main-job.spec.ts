import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { eventually, freePort, sharedData, type StepScan, scanStep } from '@twinyard/testing';
import { Client } from 'pg';
import { differences } from '../../quickstart/differences';
import { blocksOf } from '../../quickstart/page';
import { runBlocks } from '../../quickstart/run-page';
import type { Fields, Page } from '../../tour/api';
import { makeProject, type Project } from '../../tour/steps/project';
import { wallsOf } from '../../tour/steps/questions';
import { runTask } from '../../tour/steps/runs';
import { runTour, type TourReport } from '../../tour/tour';
import { TourLog } from '../../tour/tour-log';
import { makeOneOfEach, seenBy, statusesOf } from './one-of-each';
import { makeDemoAccess } from './people';
import { ROOT, RunningPlatform } from './running-platform';

const CASES = [
  { name: 'the sample that the product ships', model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv') },
  { name: 'duplex.ifc and ambient_temperature.csv of ../shared/data', model: sharedData('duplex.ifc'), readings: sharedData('ambient_temperature.csv') },
];
const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** What is done again and again, in all services and in some. */
const EVERYWHERE = ['events.inbox-sweep', 'events.log-sweep', 'jobs.dead-sweep', 'requests.answer-sweep'];
const OF_LATER_WORK = ['requests.ended-sweep', 'requests.left-over'];
const SCHEDULES: Readonly<Record<ServiceName, readonly string[]>> = {
  passportsvc: [...OF_LATER_WORK, 'passportsvc.expiry-sweep', 'passportsvc.invite-dates'],
  itemsvc: [...OF_LATER_WORK, 'itemsvc.import-sweep', 'itemsvc.processing-error-sweep', 'itemsvc.reading-expiry'],
  filesvc: ['filesvc.blob-sweep', 'filesvc.left-over-previews', 'filesvc.usage-folding'],
  metricsvc: ['metricsvc.ended-sweep'],
  datasourcesvc: ['datasourcesvc.left-over-runs'],
  aisvc: [],
  notificationsvc: ['notificationsvc.left-over-deliveries'],
};

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start({ WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => platform?.remove());

describe.each(CASES)('the main job on $name', ({ model = '', readings = '' }) => {
  const isThere = model !== '' && readings !== '';
  const proves = isThere ? it : it.skip;
  let report: TourReport;
  let scan: StepScan;

  beforeAll(async () => {
    if (!isThere) return;
    scan = scanStep(readFileSync(model, 'utf8'));
    report = await runTour({ baseUrl: platform.baseUrl, ...platform.admin, model, readings, mailDir: platform.mailDir, print: () => undefined });
  }, 600_000);

  const all = async (kind: keyof TourReport['collections'], parameters: Record<string, object> = {}) => {
    const rows: Fields[] = [];
    const path = `${ITEMS}/${encodeURIComponent(report.collections[kind])}/relateditems`;
    for (;;) {
      const page = await report.project.owner.get<Page<Fields>>(path, { ...parameters, page: { _offset: rows.length, _pageSize: 500 } });
      rows.push(...page._list);
      if (rows.length >= page._total || page._list.length === 0) return rows;
    }
  };

  proves('holds every product of the file with its class, and no other', async () => {
    const elements = await all('rvt_elements');
    const found = new Map(elements.map((element) => [String(element['source_id']), String(element['ifcClass']).toUpperCase()]));
    expect(elements).toHaveLength(scan.products.size);
    expect(new Map([...found].sort())).toEqual(new Map([...scan.products].sort()));
  });

  proves('holds every property of every product', async () => {
    const sourceOf = new Map((await all('rvt_elements')).map((element) => [element['_id'], String(element['source_id'])]));
    const props = await all('rvt_element_props');
    const counts = props.map((row): [string, number] => [sourceOf.get(row['_id']) ?? '', Object.keys((row['properties'] ?? {}) as Fields).length]);
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(scan.totalProperties);
    for (const [sourceId, count] of counts) expect([sourceId, count]).toEqual([sourceId, scan.propertiesOf(sourceId)]);
  });

  proves('holds every type and every storey', async () => {
    const types = await all('rvt_type_elements');
    expect(types.map((type) => String(type['source_id'])).sort()).toEqual([...scan.types.keys()].sort());
    expect([...report.model.storeys].map(({ sourceId }) => sourceId).sort()).toEqual(scan.storeys.map(({ globalId }) => globalId).sort());
  });

  proves('answers the walls of each storey with their properties, as the file has them', async () => {
    for (const { globalId } of scan.storeys) {
      const { walls, properties } = await wallsOf(report.project, report.collections, globalId);
      const expected = scan.wallsOfStorey(globalId);
      expect([...walls].sort()).toEqual([...expected].sort());
      expect(properties).toBe(expected.reduce((sum, wall) => sum + scan.propertiesOf(wall), 0));
    }
  });

  proves('sorts by a nested property', () => {
    const { total, values } = report.model.nested;
    expect(total).toBeGreaterThan(0);
    expect(values).toHaveLength(Math.min(5, total));
    expect(values).toEqual([...values].sort((a, b) => b - a));
  });

  proves('holds every reading, and its daily figures are those of the file', () => {
    const rows = readFileSync(readings, 'utf8').trim().split('\n').slice(1).map((line) => line.trim().split(','));
    expect(report.readings.total).toBe(rows.length);
    const byDay = new Map<string, number[]>();
    for (const [stamp = '', value = ''] of rows) byDay.set(stamp.slice(0, 10), [...(byDay.get(stamp.slice(0, 10)) ?? []), Number(value)]);
    expect(report.readings.days.map(({ _id }) => _id.slice(0, 10))).toEqual([...byDay.keys()].sort());
    for (const { _id, mean, minimum, maximum } of report.readings.days) {
      const values = byDay.get(_id.slice(0, 10)) ?? [];
      expect([minimum, maximum]).toEqual([Math.min(...values), Math.max(...values)]);
      expect(mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9);
    }
    const week = rows.filter(([stamp = '']) => Date.parse(`${stamp.replace(' ', 'T')}${stamp.endsWith('Z') ? '' : 'Z'}`) < Date.parse(String(report.readings.first['_ts'])) + 7 * 86_400_000);
    expect(report.readings.inRange).toBe(week.length);
  });

  proves('adds up by a script what the meter of each storey has counted, and has it done again by a schedule', () => {
    const { metered, rows, result, scheduled } = report.energy;
    expect(rows.map(({ _sourceId, kWh }) => [_sourceId, kWh]).sort()).toEqual([...metered].sort());
    expect(rows.map(({ _sourceId }) => _sourceId).sort()).toEqual(scan.storeys.map(({ globalId }) => globalId).sort());
    const total = [...metered.values()].reduce((sum, kWh) => sum + kWh, 0);
    expect(result).toEqual({ storeys: metered.size, kWh: total });
    expect(scheduled).toMatchObject({ _status: 'COMPLETED', _orchschedule: { _due: expect.any(String) } });
    expect(JSON.parse(String(scheduled['_result']))).toEqual(result);
  });

  proves('measures the truth from events, and tells of both files by mail', () => {
    expect(report.metrics).toMatchObject({ FileCount: 2, FileVersionSize: readFileSync(model).length + readFileSync(readings).length });
    expect(report.metrics.NamedUserCollectionRelatedItemsCount).toBe(Object.values(report.model.totals).reduce((sum, total) => sum + total, 0) + report.energy.rows.length);
    expect(report.mails).toBe(2);
  });

  proves('leaves in the audit log who uploaded and ran what, from where, in a chain that verifies', async () => {
    const { owner, namespace } = report.project;
    const me = await owner.get<Fields>('/passportsvc/api/v1/users/me');
    const audited = async (_irn: string) => (await owner.get<Page<Fields>>('/passportsvc/api/v1/audit', { _namespace: namespace, _irn, _pageSize: 1000 }))._list;
    const byOwner = { _byId: me['_id'], _address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/), _requestId: expect.stringMatching(/.{8}/) };
    await eventually(async () => {
      expect(await audited(`filesvc:file:${report.files.model.id}`)).toContainEqual(expect.objectContaining({ ...byOwner, _action: 'CREATE', _details: expect.objectContaining({ type: 'filesvc.File' }) }));
      expect(await audited('datasourcesvc:orchrun:*')).toContainEqual(expect.objectContaining({ ...byOwner, _action: 'CREATE' }));
      expect(await audited('datasourcesvc:orchrun:*')).toContainEqual(expect.objectContaining({ _byId: me['_id'], _action: 'UPDATE', _details: expect.objectContaining({ _status: 'COMPLETED' }) }));
      expect(await audited('itemsvc:nameduseritem:*')).toContainEqual(expect.objectContaining({ _byId: me['_id'], _action: 'CREATE' }));
    });
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'dist/tools/operations/main.js'), 'passportsvc', 'audit', 'verify', namespace], { encoding: 'utf8', env: { ...process.env, DATA_DIR: platform.dataDir } });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^1 chains with [1-9]\d* entries: whole\n$/) });
  });

  proves('makes new versions when the same file is imported again, and the old ones stay readable', async () => {
    await runTask(report.project, { name: 'Once more', component: 'ifc_import', parameters: { _fileId: report.files.model.id } });
    const collection = `${ITEMS}/${encodeURIComponent(report.collections.rvt_elements)}`;
    const { _list: versions } = await report.project.owner.get<Page<Fields>>(`${collection}/versions`, { sort: { _version: 1 } });
    expect(versions.map((version) => version['_version'])).toEqual([1, 2]);
    for (const version of versions) {
      const page = await report.project.owner.get<Page<Fields>>(`${collection}/relateditems`, { userItemVersionId: String(version['_id']), page: { _pageSize: 0 } });
      expect(page._total).toBe(scan.products.size);
    }
  });
});

describe('a changed right', () => {
  let project: Project;
  let workspaceId: string;
  const whole = [1, 1, 1, 1, 1, 1, 1];
  const nothing = [0, 0, 0, 0, 0, 0, 0];

  beforeAll(async () => {
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: () => undefined }, new TourLog(() => undefined));
    workspaceId = await makeOneOfEach(project);
  });

  it('is in force in every service when the call that changed it returns, a hundred times', async () => {
    const { owner, outsider, namespace } = project;
    for (let round = 0; round < 50; round += 1) {
      const { _success } = await owner.put<{ _success: Fields[] }>('/passportsvc/api/v1/permissions', [
        { _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: outsider.id } },
      ]);
      expect([round, await seenBy(outsider.api, namespace, workspaceId)]).toEqual([round, whole]);
      await owner.request('DELETE', `/passportsvc/api/v1/permissions/${String(_success[0]?.['_id'])}`);
      expect([round, await seenBy(outsider.api, namespace, workspaceId)]).toEqual([round, nothing]);
    }
  });

  it('is in force everywhere for members who come and go', async () => {
    const { owner, outsider, namespace, viewersGroupId } = project;
    const members = `/passportsvc/api/v1/usergroups/${viewersGroupId}/users`;
    for (let round = 0; round < 10; round += 1) {
      await owner.post(members, [outsider.id]);
      expect([round, await seenBy(outsider.api, namespace, workspaceId)]).toEqual([round, whole]);
      await owner.request('DELETE', members, {}, [outsider.id]);
      expect([round, await seenBy(outsider.api, namespace, workspaceId)]).toEqual([round, nothing]);
    }
  });

  it('is found by the id of its request in the log of each service that had a part in it, as is a refusal, and no secret with it', async () => {
    const { owner, namespace } = project;
    const secret = randomUUID();
    const ask = async (body: unknown) => {
      const requestId = randomUUID();
      const answer = await fetch(`${platform.baseUrl}/itemsvc/api/v1/permissions`, {
        method: 'PUT', body: JSON.stringify(body), headers: { authorization: `Bearer ${String(owner.token)}`, 'content-type': 'application/json', 'x-request-id': requestId },
      });
      return { requestId, status: answer.status, told: answer.headers.get('x-request-id'), body: await answer.json() as Fields };
    };
    const done = await ask([{ _namespace: namespace, _actions: [secret], _resourceDesc: { _irn: 'itemsvc:nameduseritem:*' }, _user: { _type: 'user', _id: secret } }]);
    const refused = await ask({ password: secret });
    expect([done.status, done.told, refused.status, refused.told, refused.body['requestId']]).toEqual([200, done.requestId, 400, refused.requestId, refused.requestId]);
    const file = join(platform.dataDir, 'logs', 'platform.log');
    for (const { requestId, status } of [done, refused]) {
      await eventually(() => {
        const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.includes(requestId)).map((line) => JSON.parse(line) as Fields);
        expect(lines.map(({ service, msg, status: answered, caller }) => ({ service, msg, answered, caller })).sort((one, other) => String(one.service).localeCompare(String(other.service)))).toEqual(
          ['itemsvc', 'passportsvc'].map((service) => ({ service, msg: 'request', answered: status, caller: expect.stringMatching(/^user:/) as string })));
      });
    }
    expect(readFileSync(file, 'utf8')).not.toContain(secret);
  });

  it('ends every token of a session at its logout, in every service', async () => {
    const { viewer, namespace } = project;
    expect(await seenBy(viewer.api, namespace, workspaceId)).toEqual(whole);
    await viewer.api.request('GET', '/passportsvc/api/v1/logout');
    expect(new Set(await statusesOf(viewer.api, namespace, workspaceId))).toEqual(new Set([401]));
  });
});

it('docs/quickstart.md can be typed as it stands, and answers what it shows', async () => {
  const blocks = blocksOf(readFileSync(join(ROOT, 'docs/quickstart.md'), 'utf8'));
  expect(blocks.length).toBeLessThanOrEqual(12);
  const ACCESS_KEY = await makeDemoAccess(platform);
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-quickstart-'));
  try {
    symlinkSync(platform.dataDir, join(folder, '.data'));
    for (const name of ['tools', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name));
    const said = await runBlocks(blocks, folder, { ACCESS_KEY, HOOK: String(await freePort()), TMPDIR: folder });
    for (const [at, { commands, answer }] of blocks.entries()) {
      if (answer === undefined) expect({ commands, said: said[at] }).toEqual({ commands, said: '' });
      else expect({ commands, differences: differences(answer, JSON.parse(said[at] ?? '')) }).toEqual({ commands, differences: [] });
    }
    expect(readFileSync(join(folder, readdirSync(folder).find((name) => name.startsWith('tmp.')) ?? '', 'plan.png')).subarray(1, 4).toString()).toBe('PNG');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 150_000);

it('every service has its schedules, which the documentation names', async () => {
  const documented = readFileSync(join(ROOT, 'docs/operations/jobs.md'), 'utf8');
  const found = await Promise.all(SERVICES.map(async (service) => {
    const client = new Client({ connectionString: platform.databaseUrl(service) });
    await client.connect();
    const { rows } = await client.query<{ kind: string }>(`SELECT DISTINCT kind FROM job WHERE id = kind || '  schedule'`).finally(() => client.end());
    return [service, rows.map(({ kind }) => kind).sort()];
  }));
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(SERVICES.map((service) => [service, [...EVERYWHERE, `${service}.purge-look`, ...SCHEDULES[service]].sort()])));
  for (const kind of [...EVERYWHERE, '<service>.purge-look', ...Object.values(SCHEDULES).flat()]) expect(documented).toContain(`\`${kind}\``);
});
