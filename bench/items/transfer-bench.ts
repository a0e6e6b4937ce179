import { randomUUID } from 'node:crypto';
import { type BenchRow, perSecond } from '../bench-table';
import { median } from '../statistics';
import type { BareTable } from './bare-table';
import type { ItemsBench } from './items-bench';
import { sampleItem } from './sample-item';

/** Ten times as many as in bulks: a file is taken in before it is written, and both are counted. */
const TIMES = 10;
const PIECE = 1_000;

interface Took {
  readonly seconds: number;
  readonly serviceSeconds: number;
}

/**
 * A file of rows in and out over HTTP: from its first byte to the end of its durable request, beside the same rows in statements of the same
 * size by the bare driver, by turns; the first round warms up and is left out.
 */
export async function benchTransfers({ options, direct, time }: ItemsBench, bare: BareTable | undefined): Promise<BenchRow[]> {
  const pieces = Math.ceil((options.items * TIMES) / PIECE);
  const count = pieces * PIECE;
  const rowsOf = (piece: number) => Array.from({ length: PIECE }, (_, offset) => sampleItem(piece * PIECE + offset));
  async function* file() {
    for (let piece = 0; piece < pieces; piece += 1) yield Buffer.from(rowsOf(piece).map((item) => `${JSON.stringify(item)}\n`).join(''));
  }
  const took: Record<'bare' | 'rows' | 'all' | 'ndjson' | 'csv', Took[]> = { bare: [], rows: [], all: [], ndjson: [], csv: [] };
  const measure = async (way: keyof typeof took, round: number, work: () => Promise<unknown>) => {
    const [began, before] = [performance.now(), time.seconds()];
    await work();
    if (round > 0) took[way].push({ seconds: (performance.now() - began) / 1_000, serviceSeconds: time.seconds() - before });
  };
  for (let round = 0; round <= options.rounds; round += 1) {
    const version = randomUUID();
    if (bare) await measure('bare', round, async () => { for (let piece = 0; piece < pieces; piece += 1) await bare.insert(version, rowsOf(piece)); });
    const [byRows, whole] = [await direct.createCollection('transferred'), await direct.createCollection('transferred')];
    await measure('rows', round, () => direct.importRows(byRows, file(), 'rows'));
    await measure('all', round, () => direct.importRows(whole, file(), 'all'));
    for (const format of ['ndjson', 'csv'] as const) await measure(format, round, () => direct.exportRows(whole, format));
  }
  const rate = (way: keyof typeof took) => count / median(took[way].map(({ seconds }) => seconds));
  const row = (what: string, way: keyof typeof took, compared: boolean, goal?: string): BenchRow => ({
    group: 'items', what: `${what} of ${count.toLocaleString('en')}`, value: rate(way),
    measured: `${perSecond(rate(way))} items/s, ${((median(took[way].map(({ serviceSeconds }) => serviceSeconds)) * 1e6) / count).toFixed(0)} us of itemsvc each`,
    ...(compared && bare && { bare: `${perSecond(rate('bare'))} items/s`, ratio: (rate(way) / rate('bare')).toFixed(2) }), ...(goal !== undefined && { goal }),
  });
  return [
    row('NDJSON import, mode=rows,', 'rows', true, '>= 25,000/s and 0.35'), row('NDJSON import, mode=all,', 'all', true, '>= 25,000/s and 0.35'),
    row('NDJSON export', 'ndjson', false), row('CSV export', 'csv', false),
  ];
}
