import type { BenchRow } from '../bench-table';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { BareTable } from './bare-table';
import { benchBody } from './body-bench';
import { benchCreate } from './create-bench';
import { storeDataSet } from './data-set';
import { benchGrowth } from './growth-bench';
import { ItemClient } from './item-client';
import { benchReads } from './read-bench';
import { benchReadings } from './readings-bench';
import { benchSearch } from './search-bench';
import { benchTransfers } from './transfer-bench';
import { ServiceTime } from './service-time';

export interface ItemsBench {
  readonly options: BenchOptions;
  readonly direct: ItemClient;
  readonly gateway: ItemClient;
  readonly time: ServiceTime;
}

/** With the driver beside it: on the one machine, whose database both use. */
export interface ComparedBench extends ItemsBench {
  readonly bare: BareTable;
}

/** Bulk create, reads and searches over HTTP, each beside the same work through the bare driver on the same server, in turns. */
export async function benchItems(platform: BenchPlatform, options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
  const { connections } = options;
  const direct = new ItemClient(platform.serviceUrl('itemsvc'), owner, connections);
  const gateway = new ItemClient(platform.baseUrl, owner, connections);
  const bare = platform.isOneMachine ? await BareTable.create(platform.databaseUrl('itemsvc'), connections) : undefined;
  const bench = { options, direct, gateway, time: ServiceTime.of('itemsvc', platform.processId) };
  try {
    say('bulk create');
    const rows = [...(await benchCreate(bench, bare)), await benchBody(bench), ...(await benchTransfers(bench, bare))];
    if (bare !== undefined) rows.push(...(await benchStored({ ...bench, bare }, say)));
    say('readings');
    return [...rows, ...(await benchReadings(platform, options, owner))];
  } finally {
    await Promise.all([direct.close(), gateway.close(), bare?.close()]);
  }
}

async function benchStored(bench: ComparedBench, say: (what: string) => void): Promise<BenchRow[]> {
  say(`storing ${bench.options.stored.toLocaleString('en')} items`);
  const stored = await storeDataSet(bench.direct, bench.bare, bench.options.stored);
  say('get and list');
  const reads = await benchReads(bench, stored.elements);
  say('search');
  const searches = await benchSearch(bench, stored);
  say('growth');
  return [...reads, ...searches, ...(await benchGrowth(bench))];
}
