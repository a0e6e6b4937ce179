import { availableParallelism, loadavg, totalmem } from 'node:os';
import { type BenchRow, formatTable } from './bench-table';
import { BenchEngines } from './engines/bench-engines';
import { withEngines } from './engines/engines-column';
import { benchFiles } from './files/files-bench';
import { benchGateway } from './gateway/gateway-bench';
import { benchIdentity } from './identity/identity-bench';
import { benchItems } from './items/items-bench';
import { benchJobs } from './jobs/jobs-bench';
import { benchModels } from './models/models-bench';
import { type BenchOptions, type Group, readBenchOptions } from './options';
import { BenchPlatform } from './platform/bench-platform';
import { benchIdle } from './platform/idle-bench';
import { benchRuns } from './runs/runs-bench';
import { benchPeers } from './peers/peers-bench';
import { benchReplicas } from './small/replicas-bench';
import { benchSmall } from './small/small-bench';
import { benchStarts, benchTours } from './platform/platform-bench';

/** `npm run bench [-- <group>] [-- --items 20000 …]`: measures and prints one table. It judges nothing: times depend on the machine. */
async function main(): Promise<void> {
  const options = readBenchOptions(process.argv.slice(2));
  const began = performance.now();
  const before = load();
  const platform = await BenchPlatform.create();
  const remove = () => void BenchPlatform.removeAll().finally(() => process.exit(130));
  process.once('SIGINT', remove).once('SIGTERM', remove);
  try {
    const rows = await measure(platform, options);
    await platform.stop(); // its memory and processor are for the next
    const compared = withEngines(rows, await measureOnEngines(options));
    const took = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(`\nNode ${process.version}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GB. Load average before: ${before}; after ${took} s: ${load()}. The load of the benchmark itself runs on the same cores.\n\n${formatTable(compared)}\n`);
  } finally {
    await platform.remove();
  }
}

/** The same work with the data in engines; nothing, and why, where they cannot be had. */
async function measureOnEngines(options: BenchOptions): Promise<BenchRow[]> {
  // Identity keeps everything in PostgreSQL, whatever the engines.
  const groups = options.groups.filter((group) => group === 'platform' || ((group === 'items' || group === 'files') && options.engines));
  if (groups.length === 0) return [];
  say('starting the engines');
  const engines = await BenchEngines.start();
  let platform: BenchPlatform | undefined;
  try {
    if (engines.missing !== undefined) {
      process.stdout.write(`\nThe column "on engines" is left out: ${engines.missing}\n`);
      return [];
    }
    platform = await BenchPlatform.create(engines.settings);
    const rows = await measure(platform, { ...smaller(options), groups });
    process.stdout.write(`\n${STAND_IN}\n`);
    return rows;
  } finally {
    await platform?.remove();
    await engines.stop();
  }
}

/** What a stand-in can hold in minutes. */
const smaller = (options: BenchOptions): BenchOptions => ({ ...options, stored: Math.ceil(options.stored / 20), largest: Math.ceil(options.largest / 20), readings: Math.ceil(options.readings / 20) });

/** So that nobody takes its figures for those of the engine whose place it takes. */
const STAND_IN = 'On engines: PostgreSQL, Kafka and an S3 server, and for MongoDB a stand-in without transactions, which is slower than MongoDB; all on the same cores.';

const load = () => loadavg().map((value) => value.toFixed(1)).join(' ');

async function measure(platform: BenchPlatform, options: BenchOptions): Promise<BenchRow[]> {
  // First, while no other platform runs.
  const rows = options.groups.includes('idle') ? await benchIdle(options, (what) => say(`idle: ${what}`)) : [];
  if (options.groups.includes('platform')) {
    say('starting the platform, twice');
    rows.push(...(await benchStarts(platform)));
    say('the main job');
    rows.push(...(await benchTours(platform, options)));
  } else if (options.groups.some((group) => !ALONE.has(group))) {
    say('starting the platform');
    await platform.start();
  }
  if (options.groups.includes('items')) {
    say('items');
    rows.push(...(await benchItems(platform, options, (what) => say(`items: ${what}`))));
  }
  if (options.groups.includes('small')) rows.push(...(await benchSmall(platform, options, (what) => say(`small writes: ${what}`))));
  if (platform.isOneMachine) rows.push(...(await measureEmbedded(platform, options)));
  if (options.groups.includes('files')) rows.push(...(await benchFiles(platform, options, (what) => say(`files: ${what}`))));
  if (platform.isOneMachine) rows.push(...(await measureAlone(options)));
  return rows;
}

/** What is measured on the embedded stores alone. */
async function measureEmbedded(platform: BenchPlatform, options: BenchOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  if (options.groups.includes('peers')) rows.push(...(await benchPeers(platform, options, (what) => say(`peers: ${what}`))));
  if (options.groups.includes('identity')) rows.push(...(await benchIdentity(platform, options, (what) => say(`identity: ${what}`))));
  if (options.groups.includes('jobs')) {
    say('jobs');
    rows.push(...(await benchJobs(platform.databaseUrl('postgres'), options, (what) => say(`jobs: ${what}`))));
  }
  if (options.groups.includes('runs')) rows.push(...(await benchRuns(platform, options, (what) => say(`runs: ${what}`))));
  return rows;
}

/** Of programs that need no platform, or have one of their own. */
const ALONE: ReadonlySet<Group> = new Set(['idle', 'replicas', 'models', 'gateway']);

async function measureAlone(options: BenchOptions): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  if (options.groups.includes('replicas')) rows.push(...(await benchReplicas(options, (what) => say(`replicas: ${what}`))));
  if (options.groups.includes('models')) {
    say('a large model');
    rows.push(...(await benchModels(options)));
  }
  if (options.groups.includes('gateway')) {
    say('the gateway');
    rows.push(...(await benchGateway(options)));
  }
  return rows;
}

const say = (what: string) => process.stderr.write(`bench: ${what}\n`);

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
