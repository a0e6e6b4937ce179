import { randomBytes } from 'node:crypto';
import { type BenchRow, perSecond } from '../bench-table';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { drive, type Load, medianLoad } from '../statistics';
import { BareTable } from './bare-table';
import { ItemClient } from './item-client';
import { CLASS_COUNT, classAt, sampleItem } from './sample-item';

const group = 'items';
const PAGE_SIZE = 100;

interface Bench {
  readonly options: BenchOptions;
  readonly direct: ItemClient;
  readonly gateway: ItemClient;
  /** Beside the one machine's database alone: what engines give is compared with the one machine. */
  readonly bare: BareTable | undefined;
  readonly collection: string;
}

/** Bulk create, get and filtered list over HTTP, each beside the same work through the bare driver on the same server, in turns. */
export async function benchItems(platform: BenchPlatform, options: BenchOptions): Promise<BenchRow[]> {
  const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
  const { connections } = options;
  const direct = new ItemClient(platform.serviceUrl('itemsvc'), owner, connections);
  const gateway = new ItemClient(platform.baseUrl, owner, connections);
  const bare = platform.isOneMachine ? await BareTable.create(platform.databaseUrl('itemsvc'), connections) : undefined;
  try {
    const collection = await direct.createCollection(`Bench ${randomBytes(3).toString('hex')}`);
    return await runAll({ options, direct, gateway, bare, collection });
  } finally {
    await Promise.all([direct.close(), gateway.close(), bare?.close()]);
  }
}

async function runAll(bench: Bench): Promise<BenchRow[]> {
  const { rows, ids } = await benchCreate(bench);
  return [...rows, ...(await benchGets(bench, ids)), ...(await benchLists(bench))];
}

interface Ids {
  readonly ours: readonly string[];
  readonly bare: readonly string[];
}

/** Both get the same items in requests of the same size, by turns, one at a time; the first request of each warms up and is left out. */
async function benchCreate({ options, direct, bare, collection }: Bench): Promise<{ rows: BenchRow[]; ids: Ids }> {
  const { items, batch } = options;
  const ids = { ours: [] as string[], bare: [] as string[] };
  const loads = { ours: [] as Load[], bare: [] as Load[] };
  for (let from = 0; from < items + batch; from += batch) {
    const chunk = Array.from({ length: batch }, (_, index) => sampleItem(from + index));
    const bareLoad = bare && await drive(1, 1, async () => ids.bare.push(...(await bare.insert(chunk))));
    const ourLoad = await drive(1, 1, async () => ids.ours.push(...(await direct.createItems(collection, chunk))));
    if (from === 0) continue;
    if (bareLoad) loads.bare.push(bareLoad);
    loads.ours.push(ourLoad);
  }
  const scaled = (load: Load): Load => ({ ...load, perSecond: load.perSecond * batch });
  const what = `bulk create of ${items.toLocaleString('en')} in requests of ${batch.toLocaleString('en')}, items/s`;
  return { ids, rows: [rowOf(what, scaled(medianLoad(loads.ours)), bare && scaled(medianLoad(loads.bare)))] };
}

async function benchGets({ options, direct, gateway, bare, collection }: Bench, ids: Ids): Promise<BenchRow[]> {
  const pick = (list: readonly string[], index: number) => list[(index * 7919) % list.length] ?? '';
  const ways = {
    ...(bare && { bare: (index: number) => bare.get(pick(ids.bare, index)) }),
    direct: (index: number) => direct.get(collection, pick(ids.ours, index)),
    gateway: (index: number) => gateway.get(collection, pick(ids.ours, index)),
  };
  return compare('get by id', options.gets, options, ways);
}

async function benchLists({ options, direct, gateway, bare, collection }: Bench): Promise<BenchRow[]> {
  const ask = (client: ItemClient) => (index: number) =>
    client.list(collection, { query: { ifcClass: classAt(index) }, sort: { 'properties.Area.val': -1 }, pageSize: PAGE_SIZE });
  if (bare) await sameAnswers(ask(direct), (index) => bare.list(classAt(index), PAGE_SIZE));
  const ways = { ...(bare && { bare: (index: number) => bare.list(classAt(index), PAGE_SIZE) }), direct: ask(direct), gateway: ask(gateway) };
  return compare(`filtered, sorted list of ${PAGE_SIZE} with total`, options.lists, options, ways);
}

type Ask<T> = (index: number) => Promise<T>;

/** A comparison of speed is worth nothing unless both find the same. */
async function sameAnswers(ours: Ask<{ _total: number; _list: readonly unknown[] }>, bare: Ask<{ total: number; list: readonly unknown[] }>): Promise<void> {
  for (let index = 0; index < CLASS_COUNT; index += 1) {
    const [mine, theirs] = await Promise.all([ours(index), bare(index)]);
    const differs = mine._total !== theirs.total || areasOf(mine._list) !== areasOf(theirs.list);
    if (differs) throw new Error(`the lists of ${classAt(index)} differ: ${mine._total} against ${theirs.total}`);
  }
}

const areasOf = (list: readonly unknown[]) => list.map((item) => (item as { properties: { Area: { val: number } } }).properties.Area.val).join();

interface Ways {
  readonly bare?: Ask<unknown>;
  readonly direct: Ask<unknown>;
  readonly gateway: Ask<unknown>;
}

/** Rounds of each way by turns, so that a drift of the machine hits all; the first round warms up and is left out. */
async function compare(what: string, total: number, { connections, rounds }: BenchOptions, ways: Ways): Promise<BenchRow[]> {
  const loads: Record<keyof Ways, Load[]> = { bare: [], direct: [], gateway: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of ['bare', 'direct', 'gateway'] as const) {
      const ask = ways[way];
      if (ask === undefined) continue;
      const load = await drive(round === 0 ? Math.ceil(total / 2) : total, connections, ask);
      if (round > 0) loads[way].push(load);
    }
  }
  const bare = ways.bare && medianLoad(loads.bare);
  return [
    rowOf(`${what}, req/s on ${connections} connections`, medianLoad(loads.direct), bare),
    rowOf(`${what}, through the gateway`, medianLoad(loads.gateway), bare),
  ];
}

function rowOf(what: string, ours: Load, bare: Load | undefined): BenchRow {
  const say = ({ perSecond: rate, p50Ms }: Load) => `${perSecond(rate)} (p50 ${p50Ms.toFixed(1)} ms)`;
  return {
    group, what, measured: say(ours), value: ours.perSecond,
    ...(bare && { bare: say(bare), ratio: (ours.perSecond / bare.perSecond).toFixed(2) }),
  };
}
