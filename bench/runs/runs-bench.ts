import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchRow, megabytes, perSecond, seconds } from '../bench-table';
import type { BenchOptions } from '../options';
import { workedOff } from '../platform/backlog';
import type { BenchPlatform } from '../platform/bench-platform';
import { drive, median, quantile } from '../statistics';
import { EndedRuns } from './ended-runs';
import { RunClient } from './run-client';
import { benchSandboxes } from './sandbox-bench';

const group = 'runs';
const CONNECTIONS = 16;
/** A namespace has 20 queued runs at most. */
const AT_ONCE = 12;
const PINGS = 200;
const RUNS = 1_000;
const LOOPS = 20;
const INTO_THE_LOOP_MS = 200;
const ROWS = 50_000;
const BATCH = 1_000;
const SCHEDULES = 10_000;
const WATCHED_MS = 60_000;
const DUE_SECONDS = 60;

const STEP = 'export default ({ inparams }) => ({ n: (inparams?.n ?? 0) + 1 })';
/** As docs/scripts.md has it. */
const CORRECT = `export default async ({ actualParams }, { platform }, ctx) => {
  const rooms = platform.items.related(actualParams.rooms);
  let [batch, done] = [[], 0];
  const write = async () => {
    await rooms.update(batch);
    ctx.progress((done += batch.length));
    batch = [];
  };
  for await (const room of rooms.list({}, { pageSize: 500 })) {
    batch.push({ ...room, areaInFeet: room.area * 10.764 });
    if (batch.length === 500) await write();
  }
  if (batch.length > 0) await write();
  return { changed: done };
};`;

interface Bench {
  readonly platform: BenchPlatform;
  readonly client: RunClient;
  readonly ended: EndedRuns;
}

/** Runs on the real platform, as it is set by default: four at once, three of one namespace. */
export async function benchRuns(platform: BenchPlatform, _options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
  const bench: Bench = { platform, client: new RunClient(platform.baseUrl, owner, CONNECTIONS), ended: await EndedRuns.open(platform.databaseUrl('datasourcesvc')) };
  try {
    await workedOff(platform);
    say('starts');
    const rows = await starts(bench);
    say('three script steps');
    rows.push(await scriptSteps(bench));
    say('endless loops');
    rows.push(await endlessLoops(bench));
    say('a script over many rows');
    rows.push(await manyRows(bench));
    say('sandboxes');
    rows.push(...(await benchSandboxes(group)));
    say('schedules');
    return [...rows, ...(await schedules(bench))];
  } finally {
    await Promise.all([bench.client.close(), bench.ended.close()]);
  }
}

async function starts({ client, ended }: Bench): Promise<BenchRow[]> {
  const ping = await client.orchestrator([{ component: 'ping' }]);
  const ids: string[] = [];
  const { p50Ms, p99Ms } = await drive(PINGS, 1, async () => {
    const id = await client.start(ping);
    ids.push(id);
    await ended.of(id);
  });
  const waits = await ended.waits(ids);
  return [
    { group, what: 'queued ping, from its order to its beginning', measured: `p50 ${median(waits).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`, value: median(waits), goal: 'p50 <= 30 ms' },
    { group, what: 'the same, from the request to its end', measured: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`, value: p50Ms },
  ];
}

async function scriptSteps({ client, ended }: Bench): Promise<BenchRow> {
  await client.script('bench_step', STEP);
  const step = { component: 'default_script_target', params: { userType: 'bench_step' } };
  const orchestrator = await client.orchestrator([step, step, step]);
  const { perSecond: rate, p50Ms } = await drive(RUNS, AT_ONCE, async () => ended.of(await client.start(orchestrator)));
  return { group, what: `${RUNS.toLocaleString('en')} runs of three script steps, ${AT_ONCE} ordered at a time, three at work`, measured: `${perSecond(rate)}/s, p50 ${p50Ms.toFixed(0)} ms`, value: rate, goal: '>= 60/s' };
}

async function endlessLoops({ client, ended }: Bench): Promise<BenchRow> {
  await client.script('bench_endless', 'export default () => { for (;;) {} }');
  const orchestrator = await client.orchestrator([{ component: 'default_script_target', params: { userType: 'bench_endless' } }]);
  const took: number[] = [];
  while (took.length < LOOPS) {
    const id = await client.start(orchestrator);
    await ended.begun(id);
    await delay(INTO_THE_LOOP_MS);
    const began = performance.now();
    await client.cancel(id);
    await ended.of(id, 'CANCELLED');
    took.push(performance.now() - began);
  }
  return { group, what: 'an endless loop, from its cancel to the end of its run', measured: `p50 ${median(took).toFixed(0)} ms, at most ${Math.max(...took).toFixed(0)} ms`, value: median(took), goal: '<= 1,000 ms' };
}

async function manyRows({ platform, client, ended }: Bench): Promise<BenchRow> {
  const rooms = await client.collection();
  for (let row = 0; row < ROWS; row += BATCH) await client.fill(rooms, Array.from({ length: BATCH }, (_, n) => ({ name: `Room ${row + n}`, area: (row + n) % 97, storey: (row + n) % 12 })));
  await client.script('bench_correct', CORRECT);
  const orchestrator = await client.orchestrator([{ component: 'default_script_target', params: { userType: 'bench_correct', rooms } }]);
  const process = platform.processIdOf('datasourcesvc');
  const before = residentOf(process, 'VmRSS');
  const began = performance.now();
  await ended.of(await client.start(orchestrator));
  const [took, peak] = [performance.now() - began, residentOf(process, 'VmHWM')];
  return { group, what: `a script that reads, changes and writes back ${ROWS.toLocaleString('en')} items`, measured: `${seconds(took)}, ${perSecond((ROWS * 1_000) / took)} items/s; datasourcesvc ${megabytes(before)} before, ${megabytes(peak)} at its peak`, value: took };
}

/** Of /proc, in bytes. */
const residentOf = (process: number, figure: 'VmRSS' | 'VmHWM') => Number(new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1]) * 1_024;

async function schedules({ platform, client, ended }: Bench): Promise<BenchRow[]> {
  const clock = platform.processorClock('datasourcesvc');
  const without = await shareOver(clock);
  await drive(SCHEDULES, CONNECTIONS, async () => client.schedule(await client.orchestrator([{ component: 'ping' }]), { _cron: '0 0 1 1 *' }));
  await workedOff(platform);
  const idle = await shareOver(clock);
  await client.schedule(await client.orchestrator([{ component: 'ping' }]), { _cron: '* * * * * *' });
  await delay(DUE_SECONDS * 1_000);
  const waits = await ended.scheduledWaits();
  return [
    { group, what: `processor of datasourcesvc with ${SCHEDULES.toLocaleString('en')} schedules of which none is due, of one core`, measured: `${idle.toFixed(2)} %, without any ${without.toFixed(2)} %`, value: idle, goal: 'as without any' },
    { group, what: `a schedule that is due each second, from its due time to the beginning of its run (${waits.length} in ${DUE_SECONDS} s)`, measured: `p50 ${median(waits).toFixed(0)} ms, p99 ${quantile(waits, 0.99).toFixed(0)} ms`, value: median(waits), goal: 'p50 <= 200 ms' },
  ];
}

async function shareOver(clock: () => number): Promise<number> {
  const before = clock();
  await delay(WATCHED_MS);
  return ((clock() - before) / WATCHED_MS) * 100;
}
