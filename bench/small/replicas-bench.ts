import { type BenchRow, loadText } from '../bench-table';
import { sampleItem } from '../items/sample-item';
import type { BenchOptions } from '../options';
import { BenchPlatform } from '../platform/bench-platform';
import { usageOf } from '../platform/process-usage';
import { drive, type Load, medianLoad } from '../statistics';
import { SmallClient } from './small-client';

const CONNECTIONS = [16, 64] as const;
const COLLECTIONS = [1, 16] as const;
const REPLICAS = [1, 2] as const;

interface Side {
  readonly replicas: number;
  readonly platform: BenchPlatform;
  readonly owner: { readonly token: string; readonly namespace: string };
}

/** One item a request through the gateway, on one process of each service and on two, by turns: what writers in different processes wait for each other. */
export async function benchReplicas(options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const sides: Side[] = [];
  try {
    for (const replicas of REPLICAS) {
      say(`starting ${replicas} of each`);
      sides.push(await startSide(replicas));
    }
    const rows: BenchRow[] = [];
    for (const connections of CONNECTIONS) {
      for (const collections of COLLECTIONS) {
        say(whatOf(collections, connections));
        rows.push(...(await compare(sides, { connections, collections, requests: options.smallWrites, rounds: options.rounds })));
      }
    }
    return rows;
  } finally {
    await Promise.all(sides.map(({ platform }) => platform.remove()));
  }
}

async function startSide(replicas: number): Promise<Side> {
  const platform = await BenchPlatform.create({ REPLICAS: String(replicas) });
  await platform.start();
  return { replicas, platform, owner: JSON.parse(await platform.runTour('make-project')) as Side['owner'] };
}

const whatOf = (collections: number, connections: number) => `create, ${collections} collection${collections === 1 ? '' : 's'}, ${connections} connections`;

interface Form {
  readonly connections: number;
  readonly collections: number;
  readonly requests: number;
  readonly rounds: number;
}

/** The first round warms up and is left out. */
async function compare(sides: readonly Side[], { connections, collections, requests, rounds }: Form): Promise<BenchRow[]> {
  const runs = await Promise.all(sides.map(async (side) => {
    const client = new SmallClient(side.platform.baseUrl, side.owner, connections);
    const ids: string[] = [];
    while (ids.length < collections) ids.push(await client.collection('NamedUserCollection'));
    return { ...side, client, ids, loads: [] as Load[], used: 0 };
  }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const run of runs) {
      const cpu = () => usageOf(run.platform.processId)?.cpu ?? Number.NaN;
      const before = cpu();
      const load = await drive(requests, connections, (n) => run.client.create(run.ids[n % collections] as string, sampleItem(n)));
      if (round === 0) continue;
      run.loads.push(load);
      run.used += cpu() - before;
    }
  }
  await Promise.all(runs.map(({ client }) => client.close()));
  const rates = runs.map(({ loads }) => medianLoad(loads));
  return runs.map(({ replicas, used }, index) => {
    const [measured, single] = [rates[index] as Load, rates[0] as Load];
    const what = `${whatOf(collections, connections)}, ${replicas} of each service`;
    const cpu = `all processes ${((used * 1_000) / (rounds * requests)).toFixed(1)} ms`;
    return { group: 'replicas', what, measured: loadText(measured), value: measured.perSecond, cpu, ...(index > 0 && { bare: `one of each: ${loadText(single)}`, ratio: (measured.perSecond / single.perSecond).toFixed(2) }) };
  });
}
