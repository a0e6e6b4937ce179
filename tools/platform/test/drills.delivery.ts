import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { runTour, type TourReport } from '../../tour/tour';
import { eventually, tellAgain } from '@twinyard/testing';
import type { Fields, Page } from '../../tour/api';
import { latest } from '../../tour/steps/metrics';
import type { Project } from '../../tour/steps/project';
import { HAS_PROC, ROOT, RunningPlatform } from './running-platform';
import { type LockedTable, Traces } from './traces';

const drill = HAS_PROC ? it : it.skip;

/** Which service dies at which step of the main job; the job must go on and end with the right counts. */
const DEATHS: Readonly<Record<string, (typeof SERVICES)[number][]>> = {
  'Create an application': ['passportsvc'],
  'Make a folder': ['filesvc', 'metricsvc'],
  "Upload the sensor's history": ['datasourcesvc', 'notificationsvc'],
  'Create a telemetry collection and its sensor': ['itemsvc', 'aisvc'],
  'Count what was imported': ['metricsvc', 'passportsvc'],
};
const LAST_ITEM = 'SELECT FROM doc_locks WHERE id = (SELECT id FROM doc_items WHERE strpos(doc::text, $1) > 0 ORDER BY seq DESC LIMIT 1)';
const LAST_FILE = 'SELECT FROM file WHERE id = (SELECT id FROM file WHERE $1 = ANY(namespaces) ORDER BY position DESC LIMIT 1)';

/** Who dies during an import, where that stands then, and the table that it waits for there. */
const DURING_IMPORT: readonly (readonly [dies: (typeof SERVICES)[number], when: string, at: LockedTable])[] = [
  ['filesvc', 'as it begins to read', { service: 'filesvc', table: 'file_version', mode: 'ACCESS EXCLUSIVE' }],
  ['itemsvc', 'as it begins to write', { service: 'itemsvc', table: 'doc_items', mode: 'SHARE' }],
  ['itemsvc', 'when half is written', { service: 'itemsvc', table: 'doc_relations', mode: 'SHARE' }],
  ['datasourcesvc', 'when half is written', { service: 'itemsvc', table: 'doc_relations', mode: 'SHARE' }],
];

/** After it the sweep, once a minute, removes what uploads and pictures left behind that a death cut off. */
const EXPIRY_SECONDS = '60';

/** What is taken up again after a kill is not much older than the signs of life that are missed: seconds, not a lease. */
const CATCHES_UP_MS = 5_000;
const FILE_COUNT = 'dtplatform.filesvc.FileCount';

/** Not a limit of what is waited for: pictures and purges give way to everything else that a busy machine does. */
const PATIENCE = { timeoutMs: 240_000 };

describe('the platform under kill -9', () => {
  let platform: RunningPlatform;
  /** The main job with nothing in its way, done once. */
  let whole: Promise<TourReport> | undefined;
  /** One during which every service died. */
  let killedUnder: TourReport | undefined;
  beforeAll(async () => {
    platform = await RunningPlatform.start({ PURGE_SETTLE_SECONDS: '5', UPLOAD_EXPIRY_SECONDS: EXPIRY_SECONDS });
  });
  beforeEach(() => platform.ready());
  afterAll(() => platform?.remove());

  const tour = (print: (line: string) => void) =>
    runTour({
      baseUrl: platform.baseUrl, ...platform.admin, mailDir: platform.mailDir, print,
      model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv'),
    });

  drill('goes on with the main job whichever service dies between its steps, and counts right', async () => {
    const killed: string[] = [];
    const report = await tour((line) => {
      const step = Object.keys(DEATHS).find((title) => line.includes(title));
      for (const service of step === undefined ? [] : (DEATHS[step] ?? [])) {
        platform.kill(service);
        killed.push(service);
      }
    });
    expect(new Set(killed)).toEqual(new Set(SERVICES));
    expect(report.metrics).toMatchObject({ FileCount: 2, NamedUserCollectionCount: 5 });
    expect(report.mails).toBe(2);
    killedUnder = report;
  }, 600_000);

  drill.each(DURING_IMPORT)('finishes an import during which %s dies, %s, with nothing twice', async (service, _when, at) => {
    const undisturbed = await (whole ??= tour(() => undefined));
    const traces = await Traces.open(platform);
    try {
      const lock = await traces.lock(at);
      const die = async () => {
        await lock.take();
        await eventually(async () => {
          expect(await traces.query('datasourcesvc', "SELECT FROM orchestrator_run WHERE state = 'RUNNING'")).toHaveLength(1);
          expect(await lock.waiting()).not.toEqual([]);
        }, PATIENCE);
        platform.kill(service);
      };
      let death: Promise<unknown> = Promise.reject(new Error('nobody died'));
      death.catch(() => undefined);
      const report = await tour((line) => {
        if (!line.includes("Upload the sensor's history")) return;
        death = die().finally(() => lock.release());
        death.catch(() => undefined); // It is told below.
      });
      await death;
      expect(report.model.totals).toEqual(undisturbed.model.totals);
      expect(report.metrics).toEqual(undisturbed.metrics);
    } finally {
      await traces.close();
    }
  }, 600_000);

  drill('finishes the main job when the database server dies during it, with nothing lost and nothing twice', async () => {
    const undisturbed = await (whole ??= tour(() => undefined));
    const report = await tour((line) => {
      if (line.includes('Make a folder') || line.includes('Create a telemetry collection')) platform.killDatabase();
    });
    expect(report.model.totals).toEqual(undisturbed.model.totals);
    expect(report.readings.total).toBe(undisturbed.readings.total);
    expect(report.metrics).toEqual(undisturbed.metrics);
  }, 600_000);

  /** More than one step removes. */
  const fill = async ({ owner, namespace }: Project) => {
    const draft = { _name: 'One of many', _shortName: 'many', _userType: 'many', _itemClass: 'UserConfig', _namespaces: [namespace], _version: { _userData: '{}' } };
    await owner.post('/itemsvc/api/v1/nameduseritems', Array.from({ length: 120 }, () => draft));
    for (let request = 0; request < 6; request += 1) {
      const form = new FormData();
      for (let n = 0; n < 100; n += 1) form.append('file', new Blob([`content ${request} ${n}`]), `${request}-${n}.txt`);
      await owner.post('/filesvc/api/v1/files', form, { _namespaces: namespace });
    }
  };
  const counts = { itemsvc: 'SELECT count(*)::int AS n FROM doc_items WHERE strpos(doc::text, $1) > 0', filesvc: 'SELECT count(*)::int AS n FROM file WHERE $1 = ANY(namespaces)' };

  drill('purges a project although itemsvc and filesvc die in the middle of it: nothing of it is left, and of another everything', async () => {
    const [{ project }, other] = [(killedUnder ??= await tour(() => undefined)), await (whole ??= tour(() => undefined))];
    const { owner, namespace } = project;
    await fill(project);
    const [workspace] = (await owner.get<Page<Fields>>('/passportsvc/api/v1/workspaces', { _pageSize: 1_000 }))._list.filter(({ _namespaces }) => (_namespaces as string[]).includes(namespace));
    const traces = await Traces.open(platform);
    try {
      const ids = async (service: string, sql: string) => (await traces.query<{ id: string }>(service, sql, [namespace])).map(({ id }) => id);
      const known = [namespace, ...(await ids('itemsvc', 'SELECT id FROM doc_items WHERE strpos(doc::text, $1) > 0 ORDER BY seq LIMIT 20')), ...(await ids('filesvc', 'SELECT id FROM file WHERE $1 = ANY(namespaces) ORDER BY position LIMIT 20'))];
      expect((await traces.mentioning(known)).length).toBeGreaterThan(15);
      await eventually(async () => expect(await traces.undrawn(other.project.namespace)).toBe(0), PATIENCE);
      const before = await traces.digestOf(other.project.namespace);

      const count = async (service: keyof typeof counts) => (await traces.query<{ n: number }>(service, counts[service], [namespace]))[0]?.n ?? 0;
      const all = { itemsvc: await count('itemsvc'), filesvc: await count('filesvc') };
      // The last of each cannot be removed before somebody has died.
      const release = [await traces.hold('itemsvc', LAST_ITEM, [namespace]), await traces.hold('filesvc', LAST_FILE, [namespace])];
      await owner.request('DELETE', `/passportsvc/api/v1/workspaces/${String(workspace?.['_id'])}`, { purge: 'true' });
      expect((await owner.get<Page<Fields>>('/itemsvc/api/v1/nameduseritems'))._total).toBe(0);
      const dieInTheMiddle = async (service: keyof typeof counts) => {
        await eventually(async () => expect(await count(service)).toBeLessThan(all[service]), PATIENCE);
        platform.kill(service);
      };
      await Promise.all([dieInTheMiddle('itemsvc'), dieInTheMiddle('filesvc')]);
      await Promise.all(release.map((end) => end()));

      await eventually(async () => expect(await traces.query('passportsvc', 'SELECT done_by FROM purge')).toEqual([]), PATIENCE);
      expect(await traces.mentioning(known)).toEqual([]);
      expect(await tellAgain(platform.databaseUrl('events'), namespace)).toBeGreaterThan(100);
      expect(await traces.mentioning(known)).toEqual([]);
      await eventually(async () => expect(await traces.strayBlobs()).toEqual([]), PATIENCE);
      expect(await traces.digestOf(other.project.namespace)).toEqual(before);
      const audited = await owner.get<Page<Fields>>('/passportsvc/api/v1/audit', { _namespace: project.applicationNamespace, _action: 'PURGED', _pageSize: 1_000 });
      expect(audited._list.map(({ _action }) => _action)).toContain('PURGED');
    } finally {
      await traces.close();
    }
  }, 900_000);

  drill('stops in order and finds its data again', async () => {
    const before = await (whole ??= tour(() => undefined));
    expect(await platform.stop()).toBe(0);
    await platform.restart();
    const { owner } = before.project;
    expect(await owner.statusOf('GET', `/filesvc/api/v1/files/${before.files.model.id}`)).toBe(200);
    expect(await latest(owner, FILE_COUNT, before.project.namespace)).toBe(2);
  });

  drill('starts after a crash of everything in a few quiet lines, with nothing lost', async () => {
    const before = await (whole ??= tour(() => undefined));
    await platform.settled();
    await platform.crash();
    const said = platform.log.length;
    await platform.restart();
    const { owner, namespace } = before.project;
    expect(await owner.statusOf('GET', `/filesvc/api/v1/files/${before.files.model.id}`)).toBe(200);
    expect(await latest(owner, FILE_COUNT, namespace)).toBe(2);
    const lines = platform.log.slice(said).split('\n').filter((line) => /^\d\d:\d\d:\d\d/.test(line));
    expect(lines.filter((line) => !/ (info|debug) /.test(line))).toEqual([]);
    expect(lines.length).toBeLessThan(50);
  });

  drill('counts what it has not counted within five seconds after metricsvc was killed three times in a row in the middle of an event', async () => {
    const { owner, namespace } = (await (whole ??= tour(() => undefined))).project;
    const count = () => latest(owner, FILE_COUNT, namespace);
    await platform.settled();
    const before = await count();
    const traces = await Traces.open(platform);
    const lock = await traces.lock({ service: 'metricsvc', table: 'measurement', mode: 'SHARE' });
    try {
      await lock.take();
      for (let kills = 0; kills < 3; kills += 1) {
        const form = new FormData();
        form.append('file', new Blob([`uncounted ${kills}`]), `uncounted-${kills}.txt`);
        await owner.post('/filesvc/api/v1/files', form, { _namespaces: namespace });
        const itsOwn = await eventually(async () => {
          const pids = await lock.waiting();
          expect(pids).not.toEqual([]);
          return pids;
        }, PATIENCE);
        const killed = platform.processId('metricsvc');
        platform.kill('metricsvc');
        await eventually(() => expect(platform.processId('metricsvc')).not.toBe(killed), PATIENCE);
        await platform.ready();
        // The transaction of the one that is gone ends though it waits, and holds up none of those that follow.
        await eventually(async () => expect((await lock.waiting()).filter((pid) => itsOwn.includes(pid))).toEqual([]), PATIENCE);
      }
      await lock.release();
      await eventually(async () => expect(await count()).toBe(before + 3), { timeoutMs: CATCHES_UP_MS });
    } finally {
      await lock.release();
      await traces.close();
    }
  }, 600_000);
});
