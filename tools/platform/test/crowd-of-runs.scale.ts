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

(HAS_PROC ? describe : describe.skip)('a thousand runs of three scripts', () => {
  let platform: RunningPlatform;
  let traces: Traces;
  let project: Project;

  beforeAll(async () => {
    platform = await RunningPlatform.start({ REPLICAS: '2' });
    traces = await Traces.open(platform);
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: silent }, new TourLog(silent));
  }, 300_000);
  afterAll(async () => {
    await traces?.close();
    await platform?.remove();
  });

  async function orchestrator(): Promise<string> {
    await makeItem(project, { _name: 'step', _shortName: 'step', _userType: 'crowd_step', _itemClass: 'Script', _version: { _userAttributes: {}, _userData: STEP } });
    const tasks = [1, 2, 3].map((n) => ({ _orchcomp: 'default_script_target', _name: `Step ${n}`, _sequenceno: n, _actualparams: { userType: 'crowd_step' } }));
    const made = await project.owner.post('/datasourcesvc/api/v1/orchestrators', { _name: 'Crowd', _description: '', _namespaces: [project.namespace], _userType: 'crowd', _schemaversion: '2.0', _params: { tasks } });
    return String(made['id']);
  }

  /** Orders that the process which was asked took with it: their runs may be there, and are ordered again. */
  let unanswered = 0;
  /** Again until there is an answer. */
  async function order(orchestratorId: string): Promise<string> {
    const { owner: { baseUrl, token }, namespace } = project;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (;;) {
      const response = await fetch(new URL(`/datasourcesvc/api/v1/orchrun?nsfilter=${namespace}`, baseUrl), { method: 'POST', headers, body: JSON.stringify({ orchestratorId }) });
      const text = await response.text();
      if (response.ok) return String((JSON.parse(text) as Fields)['id']);
      if (response.status < 502) throw new Error(`${response.status} ${text}`);
      unanswered += 1;
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

  it('all end well, each step of each done once, though a worker is killed every five seconds', async () => {
    const ordered = orderAll(await orchestrator());
    ordered.catch(silent); // it is awaited below
    let [isOrdered, kills] = [false, 0];
    void ordered.finally(() => (isOrdered = true)).catch(silent);
    for await (const _tick of everyMs(KILL_EVERY_MS)) {
      if (isOrdered) break;
      const alive = platform.replicas('datasourcesvc');
      // Whoever orders needs one of them.
      if (alive.length < 2) continue;
      platform.kill('datasourcesvc', kills % 2);
      kills += 1;
    }
    const ids = await ordered;
    await eventually(async () => expect(await count(`orchestrator_run WHERE state <> 'COMPLETED'`)).toBe(0), { timeoutMs: 120_000 });
    process.stdout.write(`${RUNS} runs: ${kills} workers killed, ${await count(`orchestrator_run_log WHERE message LIKE 'Taken over%'`)} runs taken over\n`);
    expect(kills).toBeGreaterThan(0);
    const all = (await count('orchestrator_run')) ?? 0;
    expect((await traces.query<{ id: string }>('datasourcesvc', 'SELECT id FROM orchestrator_run WHERE id = ANY($1)', [[...ids]])).length).toBe(RUNS);
    expect(all - RUNS).toBeLessThanOrEqual(unanswered);
    for (const n of [1, 2, 3]) {
      expect(await count(`orchestrator_run_step WHERE state = 'COMPLETED' AND result = '{"n": ${n}}'::jsonb`)).toBe(all);
      expect(await count(`(SELECT run_id FROM orchestrator_run_log WHERE message = 'Step ${n} "Step ${n}" completed' GROUP BY run_id HAVING count(*) = 1) once`)).toBe(all);
    }
    expect(await count(`orchestrator_run_log WHERE message = 'Run ended: COMPLETED'`)).toBe(all);
    expect(await count('orchestrator_run_preparation')).toBe(0);
  }, 900_000);
});
