import type { BenchRow } from '../bench-table';
import { drive, median } from '../statistics';
import { idAt, storeItems } from './data-set';
import type { ComparedBench } from './items-bench';
import type { Collection } from './item-client';
import { roomAt, sampleItem } from './sample-item';

const SMALLEST = 10_000;
const WRITES = 5;
const BATCH = 1_000;
const READS = 200;

interface Costs {
  readonly size: number;
  /** Milliseconds. */
  readonly create: number;
  readonly get: number;
  readonly list: number;
}

/** What an item costs in a collection of 10,000, 30,000, 100,000 …: the slope of the curve is the result, 0 would be no growth at all. */
export async function benchGrowth(bench: ComparedBench): Promise<BenchRow[]> {
  const { direct, bare, options } = bench;
  const collection = await direct.createCollection('growing');
  await direct.createIndex(collection, 'room');
  const curve: Costs[] = [];
  let stored = 0;
  for (const size of sizesUpTo(options.largest)) {
    await storeItems(bare, collection, stored, size);
    stored = size;
    curve.push(await costsAt(bench, collection, size));
  }
  const row = (what: string, cost: keyof Costs, unit: number): BenchRow => ({
    group: 'items', what: `${what} beside ${curve.map(({ size }) => size.toLocaleString('en')).join(' / ')} stored`,
    measured: `${curve.map((costs) => (costs[cost] * unit).toFixed(2)).join(' / ')}, slope ${slope(curve.map((costs) => [costs.size, costs[cost]])).toFixed(2)}`,
    goal: 'does not grow: slope about 0',
  });
  return [row('bulk create, ms for 1,000', 'create', 1), row('get by id, ms', 'get', 1), row('sorted list of 100 out of 200, ms', 'list', 1)];
}

function sizesUpTo(largest: number): number[] {
  const sizes: number[] = [];
  for (let size = SMALLEST, step = 0; size <= largest; step += 1) {
    sizes.push(size);
    size = step % 2 === 0 ? size * 3 : Math.round((size * 10) / 3);
  }
  return sizes;
}

async function costsAt({ direct }: ComparedBench, collection: Collection, size: number): Promise<Costs> {
  const writes = await drive(WRITES + 1, 1, (round) => direct.createItems(collection, Array.from({ length: BATCH }, (_, index) => sampleItem(2_000_000 + round * BATCH + index))));
  const gets = await drive(READS, 1, (index) => direct.get(collection, idAt((index * 7919) % size)));
  const lists = await drive(READS, 1, (index) => direct.list(collection, { query: { room: roomAt((index * 7919) % size) }, sort: { 'properties.Area.val': -1 }, pageSize: 100 }));
  return { size, create: median(writes.latencies.slice(1)), get: gets.p50Ms, list: lists.p50Ms };
}

/** Least squares through the logarithms: by which power of the size the cost grows. */
function slope(points: readonly (readonly [number, number])[]): number {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
  const mean = (position: 0 | 1) => logs.reduce((sum, point) => sum + point[position], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return above / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
