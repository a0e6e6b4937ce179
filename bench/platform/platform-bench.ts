import { basename } from 'node:path';
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
