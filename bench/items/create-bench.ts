import { randomUUID } from 'node:crypto';
import { type BenchRow, perSecond } from '../bench-table';
import { drive, median } from '../statistics';
import type { BareTable } from './bare-table';
import type { ItemsBench } from './items-bench';
import type { Collection } from './item-client';
import { sampleItem } from './sample-item';

/** Collections that are written to at once, as an import does with a building, its rooms and its systems. */
const COLLECTIONS = 3;

interface Form {
  readonly what: string;
  /** Items in a request. */
  readonly batch: number;
  /** Requests under way at a time, each to a collection of its own. */
  readonly writers: number;
  readonly goal?: string;
}

export async function benchCreate(bench: ItemsBench, bare: BareTable | undefined): Promise<BenchRow[]> {
  const { batch } = bench.options;
  const forms: readonly Form[] = [
    { what: `bulk create, requests of ${batch}, one after the other`, batch, writers: 1 },
    { what: `bulk create, requests of ${batch}, ${COLLECTIONS} collections at once`, batch, writers: COLLECTIONS, goal: '>= 25,000/s and 0.35' },
    { what: `bulk create, requests of ${10 * batch} (202, polled), ${COLLECTIONS} collections at once`, batch: 10 * batch, writers: COLLECTIONS },
  ];
  const rows: BenchRow[] = [];
  for (const form of forms) rows.push(await benchForm(bench, bare, form));
  return rows;
}

/** Both write the same items in requests of the same size, by turns; the first round warms up and is left out. */
async function benchForm({ options, direct, time }: ItemsBench, bare: BareTable | undefined, { what, batch, writers, goal }: Form): Promise<BenchRow> {
  const requests = Math.max(2, Math.ceil(options.items / batch / writers)) * writers;
  const chunks = Array.from({ length: requests }, (_, index) => Array.from({ length: batch }, (__, offset) => sampleItem(index * batch + offset)));
  const [ours, theirs, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= options.rounds; round += 1) {
    const versions = Array.from({ length: writers }, () => randomUUID());
    const bareLoad = bare && (await drive(requests, writers, (index) => bare.insert(versions[index % writers] ?? '', chunks[index] ?? [])));
    const collections: Collection[] = await Promise.all(versions.map(() => direct.createCollection('made')));
    const before = time.seconds();
    const load = await drive(requests, writers, (index) => direct.createItems(collections[index % writers] as Collection, chunks[index] ?? []));
    if (round === 0) continue;
    cpu.push(((time.seconds() - before) * 1e6) / (requests * batch));
    ours.push(load.perSecond * batch);
    if (bareLoad) theirs.push(bareLoad.perSecond * batch);
  }
  const [rate, bareRate] = [median(ours), median(theirs)];
  return {
    group: 'items', what, measured: `${perSecond(rate)} items/s, ${median(cpu).toFixed(0)} us of itemsvc each`, value: rate,
    ...(bare && { bare: `${perSecond(bareRate)} items/s`, ratio: (rate / bareRate).toFixed(2) }), ...(goal !== undefined && { goal }),
  };
}
