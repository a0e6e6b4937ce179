import type { BenchRow } from '../bench-table';
import type { BareList } from './bare-table';
import { compare, rateRow, timeRow, type Ways } from './comparison';
import { idAt, type StoredCollection } from './data-set';
import type { ItemClient } from './item-client';
import type { ComparedBench } from './items-bench';
import { ITEMS_PER_ROOM, roomAt } from './sample-item';

const PAGE_SIZE = 100;
/** Far apart from one request to the next, the same for both sides. */
const spread = (index: number, size: number) => (index * 7919) % size;

export async function benchReads(bench: ComparedBench, elements: StoredCollection): Promise<BenchRow[]> {
  const { bare, direct, gateway } = bench;
  const idOf = (index: number) => idAt(spread(index, elements.size));
  const gets: Ways = {
    bare: (index) => bare.get(elements.versionId, idOf(index)),
    direct: (index) => direct.get(elements, idOf(index)),
    gateway: (index) => gateway.get(elements, idOf(index)),
  };
  const roomOf = (index: number) => roomAt(spread(index, elements.size));
  const ask = (client: ItemClient) => (index: number) => client.list(elements, { query: { room: roomOf(index) }, sort: { 'properties.Area.val': -1 }, pageSize: PAGE_SIZE });
  const lists = { bare: (index: number) => bare.list(elements.versionId, roomOf(index), PAGE_SIZE), direct: ask(direct), gateway: ask(gateway) };
  await sameAnswers(lists.direct, lists.bare);
  const { options } = bench;
  const list = `list of ${PAGE_SIZE} out of ${ITEMS_PER_ROOM} that match, sorted, with total`;
  return [
    ...(await rows('get by id', gets, options.gets, bench, ['time x <= 3', undefined])),
    ...(await rows(list, lists, options.lists, bench, ['time x <= 3', '>= 1,500/s where bare does 3,000'])),
  ];
}

async function rows(what: string, ways: Ways, requests: number, { options, time }: ComparedBench, [alone, together]: readonly [string, string | undefined]): Promise<BenchRow[]> {
  const { connections, rounds } = options;
  // A service that is in use is compiled, and it takes thousands of requests to be: behind 1,500 a get took 0.30 ms, behind 6,000 0.27.
  const one = await compare(ways, { requests: Math.ceil(requests / 4), warmUp: requests * 4, connections: 1, rounds, time });
  const many = await compare(ways, { requests, connections, rounds, time });
  return [
    ...timeRow(`${what}, one after the other`, one.direct, one.bare, alone),
    ...rateRow(`${what}, ${connections} connections`, many.direct, many.bare, together),
    ...rateRow(`${what}, ${connections} connections through the gateway`, many.gateway, many.bare),
  ];
}

/** A comparison of speed is worth nothing unless both find the same. */
async function sameAnswers(ours: (index: number) => Promise<string>, bare: (index: number) => Promise<BareList>): Promise<void> {
  for (let index = 0; index < 5; index += 1) {
    const [text, theirs] = await Promise.all([ours(index), bare(index)]);
    const mine = JSON.parse(text) as { _total: number; _list: readonly unknown[] };
    const differs = mine._total !== theirs.total || areasOf(mine._list) !== areasOf(theirs.list);
    if (differs || mine._list.length !== PAGE_SIZE) throw new Error(`the lists of ${index} differ: ${mine._total} against ${theirs.total}`);
  }
}

const areasOf = (list: readonly unknown[]) => list.map((item) => (item as { properties: { Area: { val: number } } }).properties.Area.val).join();
