import { setTimeout as delay } from 'node:timers/promises';
import { type BenchRow, megabytes } from '../bench-table';
import type { BenchOptions } from '../options';
import { workedOff } from './backlog';
import { BenchPlatform, NPM_START } from './bench-platform';
import { type Usage, usageByName, usageOf } from './process-usage';

const group = 'idle';
/** What a start has left to be done is over when a stretch takes about as much as the one before it. */
const STRETCH_MS = 15_000;
const ABOUT = 0.8;
const AT_MOST_MS = 180_000;

/** What a platform of its own, as `npm start` runs it, uses while nobody asks anything of it, and which processes do. Before its first work, which leaves memory taken. */
export async function benchIdle(options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  if (usageOf(process.pid) === undefined) return [{ group, what: 'memory and processor time', measured: 'not measured: no /proc' }];
  const platform = await BenchPlatform.create({}, NPM_START);
  try {
    say('starting a platform');
    await platform.start();
    say('waiting until it is quiet');
    await untilQuiet(platform);
    say(`${options.idleSeconds} s`);
    return await watch(platform, options);
  } finally {
    await platform.remove();
  }
}

async function watch(platform: BenchPlatform, { idleSeconds }: BenchOptions): Promise<BenchRow[]> {
  const ms = idleSeconds * 1_000;
  const { before, after } = await during(() => usageByName(platform.processId, nameOf), ms);
  const all = sumOf([...after.values()]);
  const share = shareOf(sumOf([...before.values()]), all, ms);
  return [
    { group, what: `processor for ${idleSeconds} s, of one core`, measured: percent(share), value: share, goal: '<= 4 %' },
    { group, what: `resident: ${all.processes} processes, shared pages counted for each (RSS)`, measured: megabytes(all.rss), value: all.rss, goal: '<= 1,200 MB' },
    { group, what: 'resident, proportional (PSS)', measured: megabytes(all.pss), value: all.pss },
    ...[...after].map(([name, usage]) => rowOf(name, usage, shareOf(before.get(name), usage, ms))).sort((one, other) => (other.value ?? 0) - (one.value ?? 0)),
  ];
}

function rowOf(name: string, { processes, rss, pss }: Usage, share: number): BenchRow {
  const what = `of these: ${name}${processes === 1 ? '' : `, ${processes} processes`}; processor, RSS, PSS`;
  return { group, what, measured: `${percent(share)}, ${megabytes(rss)}, ${megabytes(pss)}`, value: share };
}

async function untilQuiet(platform: BenchPlatform): Promise<void> {
  await workedOff(platform);
  const end = performance.now() + AT_MOST_MS;
  for (let last = Number.POSITIVE_INFINITY; performance.now() < end; ) {
    const { before, after } = await during(() => usageOf(platform.processId), STRETCH_MS);
    const share = shareOf(before, after, STRETCH_MS);
    if (share >= last * ABOUT) return;
    last = share;
  }
}

async function during<T>(look: () => T, ms: number): Promise<{ readonly before: T; readonly after: T }> {
  const before = look();
  await delay(ms);
  return { before, after: look() };
}

/** Of one core, in percent. */
const shareOf = (before: Usage | undefined, after: Usage | undefined, ms: number) => (((after?.cpu ?? 0) - (before?.cpu ?? 0)) * 1_000 * 100) / ms;
const percent = (share: number) => `${share.toFixed(1)} %`;

const sumOf = (usages: readonly Usage[]): Usage => usages.reduce((one, other) => ({
  processes: one.processes + other.processes, rss: one.rss + other.rss, pss: one.pss + other.pss, cpu: one.cpu + other.cpu,
}), { processes: 0, rss: 0, pss: 0, cpu: 0 });

/** By its command line. */
function nameOf(command: string): string {
  const service = /\/apps\/(\w+)\/src\/main\.js/.exec(command)?.[1];
  if (service !== undefined) return service;
  if (command.includes('/platform/gateway/main.js')) return 'the gateway';
  if (/^twinyard|\/platform\/main\.js/.test(command)) return 'the runner';
  return command.includes('postgres') ? 'PostgreSQL' : 'others';
}
