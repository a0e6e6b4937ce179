import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchRow, megabytes, seconds } from '../bench-table';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from './bench-platform';
import { PeakWatch, usageOf } from './process-usage';

const group = 'platform';
const MEMORY_GOAL = '< 1500 MB';

/** First and later start. Leaves the platform running. */
export async function benchStarts(platform: BenchPlatform): Promise<BenchRow[]> {
  const first = await platform.start();
  await platform.stop();
  const later = await platform.start();
  return [
    { group, what: 'first start to ready', measured: seconds(first), value: first, goal: '<= 45 s' },
    { group, what: 'later start to ready', measured: seconds(later), value: later, goal: '<= 15 s' },
  ];
}

/** What the platform uses while nobody asks anything of it. */
export async function benchIdle(platform: BenchPlatform, { idleSeconds }: BenchOptions): Promise<BenchRow[]> {
  await delay(3_000); // what a start leaves to be done
  const before = usageOf(platform.processId);
  await delay(idleSeconds * 1000);
  const after = usageOf(platform.processId);
  if (before === undefined || after === undefined) return [{ group, what: 'memory and processor time', measured: 'not measured: no /proc' }];
  const share = ((after.cpu - before.cpu) / idleSeconds) * 100;
  return [
    { group, what: `resident, idle: ${after.processes} processes, proportional (PSS)`, measured: megabytes(after.pss), goal: MEMORY_GOAL },
    { group, what: 'resident, idle: shared pages counted for each (RSS)', measured: megabytes(after.rss) },
    { group, what: `processor, idle for ${idleSeconds} s, of one core`, measured: `${share.toFixed(1)} %`, goal: '< 5 %' },
  ];
}

/** The main job on the sample that is shipped and on the model that was given. */
export async function benchTours(platform: BenchPlatform, { model }: BenchOptions): Promise<BenchRow[]> {
  const rows = await benchTour(platform, 'sample');
  return model === undefined ? rows : [...rows, ...(await benchTour(platform, basename(model), ['--model', model]))];
}

async function benchTour(platform: BenchPlatform, name: string, args: readonly string[] = []): Promise<BenchRow[]> {
  const watch = new PeakWatch(platform.processId);
  const before = usageOf(platform.processId)?.cpu ?? 0;
  const began = performance.now();
  const printed = await platform.runTour('main', args);
  const whole = performance.now() - began;
  const cpu = (usageOf(platform.processId)?.cpu ?? 0) - before;
  const peak = watch.end();
  return [
    { group, what: `whole tour, ${name}`, measured: seconds(whole), value: whole },
    { group, what: `processor time of the platform in it, ${name}`, measured: seconds(cpu * 1000) },
    { group, what: `import of the model, ${name}`, measured: importTime(printed), value: Number.parseFloat(importTime(printed)), ...(name === 'duplex.ifc' && { goal: '<= 20 s' }) },
    { group, what: `resident at its peak in the tour, ${name} (PSS)`, measured: megabytes(peak.pss), goal: MEMORY_GOAL },
    { group, what: `resident at its peak in the tour, ${name} (RSS)`, measured: megabytes(peak.rss) },
  ];
}

/** The tour prints each step with its time. */
const importTime = (printed: string) => /Import the model.*?([\d.]+ s)\s/.exec(printed)?.[1] ?? 'not found';
