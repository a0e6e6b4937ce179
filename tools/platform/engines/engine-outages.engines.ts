import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { eventually, type EngineName, onEngine, ownEngines, type OwnEngines } from '@twinyard/testing';
import type { Fields, Page } from '../../tour/api';
import { newTeam } from '../../tour/steps/refusals';
import { runTour, type TourReport } from '../../tour/tour';
import { ROOT, type RunningPlatform } from '../test/running-platform';
import { ENGINES, startOnEngines } from '../test/engine-platform';
import { answersOf } from '../test/questions';
import { eachWithoutIds } from '../test/same-answers';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const NOTICED_WITHIN = { everyMs: 200 };
/** Nobody waits for ever: a request that needs what is away is refused within this time, on a machine that stands still for seconds too. */
const REFUSED_WITHIN_MS = 45_000;
/** The stand-in for MongoDB takes one writer at a time: a single item waits for whole imports. */
const WRITTEN_WITHIN_MS = 60_000;
const PAGE = 1_000;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

interface Outage {
  readonly engine: EngineName;
  /** Step of the main job after which it dies. */
  readonly after: string;
  /** Whose readiness turns. */
  readonly concerned: readonly ServiceName[];
  /** What cannot be done meanwhile; `content` is a download address. */
  readonly refused: (report: TourReport, content: string) => readonly Call[];
  /** What is done all the same. */
  readonly served: (report: TourReport) => readonly Call[];
}

const collectionOf = ({ collections }: TourReport) => `${ITEMS}/${encodeURIComponent(collections.rvt_type_elements)}`;
const readItems = (report: TourReport): Call => ({ method: 'GET', path: `${collectionOf(report)}/relateditems` });
const addItem = (report: TourReport): Call => ({ method: 'POST', path: `${collectionOf(report)}/relateditems`, body: [{ during: 'an outage' }] });
const readFile = ({ files }: TourReport): Call => ({ method: 'GET', path: `${FILES}/${files.model.id}` });
const addFile = ({ project }: TourReport): Call => {
  const form = new FormData();
  form.set('file', new Blob([randomBytes(2_000)]), 'during-an-outage.bin');
  return { method: 'POST', path: `${FILES}?_namespaces=${project.namespace}`, body: form };
};
const addTeam = ({ project }: TourReport): Call => ({ method: 'POST', path: '/aisvc/api/v1/teams', body: newTeam(project.namespace) });
const reads = (...paths: string[]): Call[] => paths.map((path) => ({ method: 'GET', path }));

const OUTAGES: readonly Outage[] = [
  {
    engine: 'kafka', after: 'Make a folder', concerned: SERVICES,
    refused: () => [],
    served: (report) => [readItems(report), readFile(report), addTeam(report)],
  },
  {
    engine: 'versitygw', after: 'Upload the building model', concerned: ['filesvc'],
    refused: (report, content) => [addFile(report), ...reads(content)],
    served: (report) => [readItems(report), readFile(report)],
  },
  {
    engine: 'mongo', after: 'Create a telemetry collection', concerned: ['itemsvc'],
    refused: (report) => [readItems(report), addItem(report), { method: 'GET', path: ITEMS }],
    served: (report) => [readFile(report)],
  },
  {
    engine: 'postgres', after: "Upload the sensor's history", concerned: SERVICES.filter((service) => service !== 'itemsvc'),
    refused: (report) => [
      readFile(report), addFile(report), addTeam(report),
      ...reads('/passportsvc/api/v1/users/me', '/datasourcesvc/api/v1/orchrun', '/notificationsvc/api/v1/trigger', '/aisvc/api/v1/teams', `/metricsvc/api/v1/metrics/dtplatform.filesvc.FileCount?namespace=${report.project.namespace}`),
    ],
    served: () => [],
  },
];

onEngine(ENGINES, () => {
  describe('the main job while an engine is away', () => {
    let engines: OwnEngines;
    let platform: RunningPlatform;
    let undisturbed: TourReport;
    let answers: Record<string, unknown>;
    let content: string;

    beforeAll(async () => {
      engines = await ownEngines(ENGINES);
      platform = await startOnEngines({}, engines);
      undisturbed = await tour(() => undefined);
      answers = eachWithoutIds(await answersOf(undisturbed));
      content = (await undisturbed.project.owner.get<{ _url: string }>(`${FILES}/${undisturbed.files.model.id}/url`))._url;
    }, 1_200_000);
    beforeEach(() => platform.ready(), 600_000);
    afterAll(async () => {
      await platform?.remove();
      await engines?.stop();
    });

    const tour = (print: (line: string) => void) => runTour({
      baseUrl: platform.baseUrl, ...platform.admin, mailDir: platform.mailDir, print,
      model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv'),
    });

    async function call({ method, path, body }: Call, withinMs = REFUSED_WITHIN_MS): Promise<{ status: number; retryAfter: string | null; text: string }> {
      const { owner, namespace } = undisturbed.project;
      const url = new URL(path, platform.baseUrl);
      url.searchParams.set('nsfilter', namespace);
      const isForm = body instanceof FormData;
      const answer = await fetch(url, {
        method, signal: AbortSignal.timeout(withinMs),
        headers: { authorization: `Bearer ${String(owner.token)}`, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
    }

    const readyOf = (url: string) => fetch(`${url}/health/ready`).then(({ status }) => status);

    async function expectAway({ concerned, refused, served }: Outage): Promise<void> {
      await eventually(async () => expect(await readyOf(platform.baseUrl)).toBe(503), NOTICED_WITHIN);
      for (const service of concerned) await eventually(async () => expect([service, await readyOf(platform.replicaUrl(service, 0))]).toEqual([service, 503]), NOTICED_WITHIN);
      const answered = await Promise.all(refused(undisturbed, content).map(async (asked) => [asked.method, asked.path, await call(asked)] as const));
      for (const [method, path, { status, retryAfter, text }] of answered) {
        expect([method, path, status, retryAfter, (JSON.parse(text) as { code: string }).code]).toEqual([method, path, 503, expect.stringMatching(/^[1-9]\d*$/), 'unavailable']);
      }
      for (const asked of served(undisturbed)) expect([asked.path, (await call(asked)).status < 300]).toEqual([asked.path, true]);
    }

    /** A file and its record, acknowledged right before the engine died. */
    async function storeFile(): Promise<() => Promise<void>> {
      const mark = randomBytes(6).toString('hex');
      const { owner, namespace } = undisturbed.project;
      const form = new FormData();
      form.set('file', new Blob([mark]), `${mark}.txt`);
      const [file] = await owner.post<Fields[]>(FILES, form, { _namespaces: namespace });
      return async () => {
        expect(await owner.get<Page<Fields>>(FILES, { _name: `${mark}.txt` })).toMatchObject({ _total: 1 });
        const { _url } = await owner.get<{ _url: string }>(`${FILES}/${String(file?.['_id'])}/url`);
        expect(await (await fetch(_url)).text()).toBe(mark);
      };
    }

    /** Writes without a pause until it is refused or told to stop: the engine dies under writes, not between them. */
    async function keepWriting(acknowledged: string[], stopped: AbortSignal): Promise<string> {
      while (!stopped.aborted) {
        const mark = randomBytes(6).toString('hex');
        const { status, text } = await call({ method: 'POST', path: `${collectionOf(undisturbed)}/relateditems`, body: [{ mark }] }, WRITTEN_WITHIN_MS);
        if (status >= 300) return `${String(status)} ${text}`;
        acknowledged.push(mark);
      }
      return 'told to stop';
    }

    /** However many there are: a fast machine writes thousands of them while an engine is away that items do not need. */
    async function marksFound(): Promise<string[]> {
      const found: string[] = [];
      for (;;) {
        const parameters = { query: { mark: { $exists: true } }, sort: { mark: 1 }, page: { _pageSize: PAGE, _offset: found.length } };
        const { _list, _total } = await undisturbed.project.owner.get<Page<Fields>>(`${collectionOf(undisturbed)}/relateditems`, parameters);
        found.push(..._list.map(({ mark }) => String(mark)));
        if (_list.length === 0 || found.length >= _total) return found;
      }
    }

    /** Each mark that was acknowledged once, and none that was not acknowledged more than once. */
    async function expectWritten(marks: readonly string[]): Promise<void> {
      const found = await marksFound();
      const once = new Set(found);
      expect(once.size).toBe(found.length);
      expect(marks.filter((mark) => !once.has(mark))).toEqual([]);
    }

    async function goAway(outage: Outage): Promise<() => Promise<void>> {
      const expectFile = await storeFile();
      const stop = new AbortController();
      const marks: string[] = [];
      const writing = Promise.all([keepWriting(marks, stop.signal), keepWriting(marks, stop.signal)]);
      const ended: string[] = [];
      writing.then((reasons) => ended.push(...reasons), (error: unknown) => ended.push(String(error)));
      await eventually(() => expect({ written: marks.length > 4, ended }).toEqual({ written: true, ended: [] }));
      await engines.kill(outage.engine);
      await expectAway(outage).finally(() => {
        stop.abort();
        return engines.restart(outage.engine);
      });
      await writing;
      return async () => {
        await expectFile();
        await expectWritten(marks);
      };
    }

    const processIds = () => SERVICES.map((service) => platform.processId(service));
    const mailsOf = (name: string) => readdirSync(platform.mailDir).map((file) => readFileSync(join(platform.mailDir, file), 'utf8')).filter((mail) => mail.includes(`Subject: New file: ${name}`)).length;

    it.each(OUTAGES)('$engine: refuses what needs it, keeps its processes, loses nothing and counts nothing twice', async (outage) => {
      const before = { processes: processIds(), mails: mailsOf('sample-building.ifc') };
      let away: Promise<() => Promise<void>> | undefined;
      const report = await tour((line) => {
        if (away === undefined && line.includes(outage.after)) away = goAway(outage);
      });
      const expectKept = await away;
      await platform.ready();
      await expectKept?.();
      expect(processIds()).toEqual(before.processes);
      const after = eachWithoutIds(await answersOf(report));
      for (const question of Object.keys(answers).filter((name) => !TELLS_OF_OUTAGES.has(name))) expect([question, after[question]]).toEqual([question, answers[question]]);
      expect(mailsOf('sample-building.ifc')).toBe(before.mails + 1);
    }, 1_200_000);
  });
});

/** What is right to say more after an outage: a log that a step was begun again, a delivery that was tried twice. */
const TELLS_OF_OUTAGES = new Set(['runs, their steps and logs', 'notifications']);
