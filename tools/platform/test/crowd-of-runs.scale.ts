import { setInterval as everyMs, setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@twinyard/testing';
import type { Fields } from '../../tour/api';
import { makeItem } from '../../tour/steps/items';
import { makeProject, type Project } from '../../tour/steps/project';
import { TourLog } from '../../tour/tour-log';
import { HAS_PROC, RunningPlatform } from './running-platform';
import { Traces } from './traces';

const RUNS = 1_000;
/** Ordered and not ended: a namespace has 20 queued runs at most. */
const AT_ONCE = 14;
const KILL_EVERY_MS = 5_000;
const [AGAIN_MS, LOOK_MS] = [100, 20];
const STEP = 'export default ({ inparams }) => ({ n: (inparams?.n ?? 0) + 1 })';
const silent = () => undefined;
/** A worker that dies over a due time is taken over before more than the 20 that are made up for have passed. */
const DUE_EVERY_MS = 2_000;
const SCHEDULES = '/datasourcesvc/api/v1/orchschedules';

(HAS_PROC ? describe : describe.skip)('runs, while their workers are killed', () => {
  let platform: RunningPlatform;
  let traces: Traces;
  let project: Project;

  beforeAll(async () => {
    platform = await RunningPlatform.start({ REPLICAS: '3' });
    traces = await Traces.open(platform);
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: silent }, new TourLog(silent));
  }, 300_000);
  afterAll(async () => {
    await traces?.close();
    await platform?.remove();
  });

  async function orchestrator(tasks: readonly Fields[]): Promise<string> {
    const made = await project.owner.post('/datasourcesvc/api/v1/orchestrators', { _name: 'Crowd', _description: '', _namespaces: [project.namespace], _userType: 'crowd', _schemaversion: '2.0', _params: { tasks } });
    return String(made['id']);
  }

  async function scripts(): Promise<string> {
    await makeItem(project, { _name: 'step', _shortName: 'step', _userType: 'crowd_step', _itemClass: 'Script', _version: { _userAttributes: {}, _userData: STEP } });
    return orchestrator([1, 2, 3].map((n) => ({ _orchcomp: 'default_script_target', _name: `Step ${n}`, _sequenceno: n, _actualparams: { userType: 'crowd_step' } })));
  }

  /** Kills one process after the other until the work is done; resolves with how many. */
  async function killDuring(work: Promise<unknown>): Promise<number> {
    let [isDone, kills] = [false, 0];
    void work.finally(() => (isDone = true)).catch(silent);
    for await (const _tick of everyMs(KILL_EVERY_MS)) {
      if (isDone) return kills;
      const alive = platform.replicas('datasourcesvc');
      // Whoever orders needs one of them.
      if (alive.length < 2) continue;
      platform.kill('datasourcesvc', kills % alive.length);
      kills += 1;
    }
    return kills;
  }

  /** Orders that the process which was asked took with it: their runs may be there, and are ordered again. */
  let unanswered = 0;
  /** Again until there is an answer, and room: orders that were not answered, and the schedule's runs that are made up for, take some of the 20. */
  async function order(orchestratorId: string): Promise<string> {
    const { owner: { baseUrl, token }, namespace } = project;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (;;) {
      const response = await fetch(new URL(`/datasourcesvc/api/v1/orchrun?nsfilter=${namespace}`, baseUrl), { method: 'POST', headers, body: JSON.stringify({ orchestratorId }) });
      const text = await response.text();
      if (response.ok) return String((JSON.parse(text) as Fields)['id']);
      const isFull = text.includes('"limit_exceeded"');
      if (response.status < 502 && !isFull) throw new Error(`${response.status} ${text}`);
      if (!isFull) unanswered += 1;
      await delay(AGAIN_MS);
    }
  }

  const count = async (sql: string) => (await traces.query<{ count: number }>('datasourcesvc', `SELECT count(*)::int AS count FROM ${sql}`))[0]?.count;

  async function orderAll(orchestratorId: string): Promise<Set<string>> {
    const ids = new Set<string>();
    while (ids.size < RUNS) {
      const open = (await count(`orchestrator_run WHERE state NOT IN ('COMPLETED', 'ERROR', 'CANCELLED')`)) ?? 0;
      const wanted = Math.min(AT_ONCE - open, RUNS - ids.size);
      for (const id of await Promise.all(Array.from({ length: Math.max(0, wanted) }, () => order(orchestratorId)))) ids.add(id);
      await delay(LOOK_MS);
    }
    return ids;
  }

  interface Crowd {
    readonly ids: ReadonlySet<string>;
    readonly kills: number;
    readonly scheduleId: unknown;
  }
  let crowd: Crowd;
  /** The thousand, and beside them those that a schedule makes. */
  beforeAll(async () => {
    const _orchid = await orchestrator([{ _orchcomp: 'ping', _name: 'Ping', _sequenceno: 1, _actualparams: {} }]);
    const { _id: scheduleId } = await project.owner.post(SCHEDULES, { _orchid, runinterval: `* * ${DUE_EVERY_MS / 1_000}`, _overlap: 'ALLOW', _catchup: 'ALL' });
    const ordered = orderAll(await scripts());
    const kills = await killDuring(ordered);
    crowd = { ids: await ordered, kills, scheduleId };
    await project.owner.request('DELETE', `${SCHEDULES}/${String(scheduleId)}`);
    await eventually(async () => expect(await count(`orchestrator_run WHERE state <> 'COMPLETED'`)).toBe(0), { timeoutMs: 120_000 });
  }, 900_000);

  it('all end well, a thousand of three scripts, each step of each done once', async () => {
    const { ids, kills } = crowd;
    process.stdout.write(`${RUNS} runs: ${kills} workers killed, ${await count(`orchestrator_run_log WHERE message LIKE 'Taken over%'`)} runs taken over\n`);
    expect(kills).toBeGreaterThan(0);
    const all = (await count('orchestrator_run WHERE schedule_id IS NULL')) ?? 0;
    expect((await traces.query<{ id: string }>('datasourcesvc', 'SELECT id FROM orchestrator_run WHERE id = ANY($1)', [[...ids]])).length).toBe(RUNS);
    expect(all - RUNS).toBeLessThanOrEqual(unanswered);
    for (const n of [1, 2, 3]) {
      expect(await count(`orchestrator_run_step WHERE state = 'COMPLETED' AND result = '{"n": ${n}}'::jsonb`)).toBe(all);
      expect(await count(`(SELECT run_id FROM orchestrator_run_log WHERE message = 'Step ${n} "Step ${n}" completed' GROUP BY run_id HAVING count(*) = 1) once`)).toBe(all);
    }
    expect(await count(`orchestrator_run_log WHERE message = 'Run ended: COMPLETED'`)).toBe(await count('orchestrator_run'));
    expect(await count('orchestrator_run_preparation')).toBe(0);
  });

  it('come of a schedule one for each due time, none left out and none twice', async () => {
    const due = await traces.query<{ due: Date }>('datasourcesvc', 'SELECT schedule_due_at AS due FROM orchestrator_run WHERE schedule_id = $1 ORDER BY due', [crowd.scheduleId]);
    const times = due.map((run) => run.due.getTime());
    process.stdout.write(`${times.length} due times\n`);
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.map((_, nth) => (times[0] ?? 0) + nth * DUE_EVERY_MS));
  });
});
