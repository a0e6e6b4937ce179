import { join } from 'node:path';
import { readStep } from '@twinyard/step';
import { type BenchRow, seconds } from '../bench-table';
import type { BenchOptions } from '../options';
import { benchDisk } from './disk-bench';
import { largeModel, ROOT } from './large-model';

/** Of the service, as it is compiled; its code is not a library of the benchmarks. */
interface Reader {
  readIfc(bytes: Uint8Array): Promise<{ readonly elements: readonly unknown[] }>;
}

/** The reading of a large clean model, what of it is the check of its text, and what it takes as an import does it. */
export async function benchModels({ modelMegabytes, rounds }: BenchOptions): Promise<BenchRow[]> {
  const bytes = largeModel(modelMegabytes);
  const { readIfc } = (await import(join(ROOT, 'dist', 'apps', 'datasourcesvc', 'src', 'ifc', 'read-ifc.js'))) as Reader;
  let text = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) text = Math.min(text, await timeOf(() => readStep(bytes)));
  const whole = await timeOf(() => readIfc(bytes));
  return [{
    group: 'models', what: `read a model of ${Math.round(bytes.length / 1e6)} MB (bare: without the check of its text)`,
    measured: seconds(whole), bare: seconds(whole - text), ratio: ((whole - text) / whole).toFixed(2), goal: '0.90',
  }, ...(await benchDisk(bytes))];
}

/** Milliseconds of processor time of this process. */
async function timeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
