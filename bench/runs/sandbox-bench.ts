import { join } from 'node:path';
import { type ScriptCall, type ScriptLimits, ScriptPlatform, ScriptRunner } from '@twinyard/scripts';
import type { BenchRow } from '../bench-table';
import { ROOT } from '../models/large-model';
import { drive } from '../statistics';

const RUNS = 300;
const AT_ONCE = 8;
const MEGABYTE = 2 ** 20;
const SHORT = 'export default () => 1';
/** Until it is answered, so that all are there at once. */
const WAITS = 'export default (value) => value';

/** Of the service, as it is compiled; its code is not a library of the benchmarks. */
const TERMS = join(ROOT, 'dist', 'apps', 'datasourcesvc', 'src', 'components', 'script-target', 'script-terms.js');
const facts = { runId: 'run', stepId: 'step', namespaces: ['bench'], principalInfo: {}, now: 0 };
const platform = new ScriptPlatform(facts, { request: () => Promise.reject(new Error('nothing is asked here')), progress: () => undefined });
type Call = (source: string) => ScriptCall;

/** As a step of a run has it: with what leads to the platform, and its bounds. */
async function callOfSteps(): Promise<Call> {
  const { LIMITS } = (await import(TERMS)) as { readonly LIMITS: Partial<ScriptLimits> };
  return (source) => ({ source, ...platform.callWith({}), limits: LIMITS });
}

const resident = () => process.memoryUsage.rss();

/** Sandboxes in a process of their own: how long until a short script has been run in one, and what each takes. */
export async function benchSandboxes(group: string): Promise<BenchRow[]> {
  const [runner, call] = [new ScriptRunner({ threads: AT_ONCE }), await callOfSteps()];
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => runner.run(call(SHORT))));
    const { p50Ms, p99Ms } = await drive(RUNS, 1, () => runner.run(call(SHORT)));
    const each = await memoryOfEach(call);
    return [
      { group, what: 'a short script in a sandbox of the pool', measured: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`, value: p50Ms, goal: '<= 5 ms' },
      { group, what: `memory of a sandbox, its thread included (the mean of ${AT_ONCE})`, measured: `${(each / MEGABYTE).toFixed(1)} MB`, value: each, goal: '<= 12 MB' },
    ];
  } finally {
    await runner.close();
  }
}

async function memoryOfEach(call: Call): Promise<number> {
  const before = resident();
  const runner = new ScriptRunner({ threads: AT_ONCE });
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, () => runner.run(call(WAITS))));
    return (resident() - before) / AT_ONCE;
  } finally {
    await runner.close();
  }
}
