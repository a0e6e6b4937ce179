import { isUtf8 } from 'node:buffer';
import { findInexactNumber } from '@twinyard/conventions';
import { BULK_BODY_LIMIT } from '@twinyard/service-kit';
import type { BenchRow } from '../bench-table';
import { median } from '../statistics';
import type { ItemsBench } from './items-bench';
import { sampleItem } from './sample-item';

/** Of a body, what is left for its brackets and commas. */
const FRAME_BYTES = 1_000;

/** What the look at the numbers and bytes of a bulk of 10 MB costs, of all that itemsvc does for it: each a whole number of times the same text. */
export async function benchBody({ options, direct, time }: ItemsBench): Promise<BenchRow> {
  const items = itemsOf(BULK_BODY_LIMIT - FRAME_BYTES);
  const bytes = Buffer.from(JSON.stringify(items));
  const text = bytes.toString();
  const [looks, wholes]: [number[], number[]] = [[], []];
  for (let round = 0; round <= options.rounds; round += 1) {
    const collection = await direct.createCollection('made');
    const before = time.seconds();
    await direct.createItems(collection, items);
    const whole = (time.seconds() - before) * 1_000;
    const look = processorMs(() => isUtf8(bytes) && findInexactNumber(text) === undefined);
    if (round === 0) continue;
    wholes.push(whole);
    looks.push(look);
  }
  const [look, whole] = [median(looks), median(wholes)];
  return {
    group: 'items', what: `look at numbers and bytes of a bulk of ${items.length.toLocaleString('en')} (10 MB), of all that itemsvc does for it`,
    measured: `${look.toFixed(0)} ms`, bare: `${whole.toFixed(0)} ms`, ratio: `${((100 * look) / whole).toFixed(1)} %`, goal: '<= 2 %',
  };
}

function itemsOf(limit: number): object[] {
  const items: object[] = [];
  for (let bytes = 0; ;) {
    const item = sampleItem(items.length);
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > limit) return items;
    items.push(item);
  }
}

function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
