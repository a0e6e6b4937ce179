import { type BenchRow, loadText } from '../bench-table';
import { sampleItem } from '../items/sample-item';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { ServiceTime } from '../items/service-time';
import { drive, type Load, medianLoad } from '../statistics';
import { BareInserts } from './bare-inserts';
import { SmallClient } from './small-client';

const CONNECTIONS = [1, 16, 64] as const;
const COLLECTIONS = 16;
const KILOBYTE = 'x'.repeat(1_000);
const SERVICES = ['gateway', 'itemsvc', 'filesvc'] as const;

interface Targets {
  /** Of items; one of them is written to, or all by turns. */
  readonly collections: readonly string[];
  readonly telemetry: string;
  readonly sensor: string;
  readonly folder: string;
  /** Items that are there to be changed, related and deleted. */
  readonly ids: readonly string[];
}

interface Form {
  readonly what: string;
  readonly goal?: string;
  readonly write: (client: SmallClient, targets: Targets, index: number) => Promise<unknown>;
}

const one = ({ collections }: Targets) => collections[0] as string;
const idAt = ({ ids }: Targets, index: number) => ids[index % ids.length] as string;

const FORMS: readonly Form[] = [
  { what: 'create, one collection', goal: '>= 0.5 of bare', write: (client, targets, n) => client.create(one(targets), sampleItem(n)) },
  { what: `create, ${COLLECTIONS} collections`, goal: '>= 0.5 of bare', write: (client, targets, n) => client.create(targets.collections[n % COLLECTIONS] as string, sampleItem(n)) },
  { what: 'replace', write: (client, targets, n) => client.replace(one(targets), idAt(targets, n), { ...sampleItem(n), changed: n }) },
  { what: 'relate', write: (client, targets, n) => client.relate(one(targets), idAt(targets, n), idAt(targets, n + 1)) },
  { what: 'reading', goal: '>= 0.6 of get by id', write: (client, { telemetry, sensor }, n) => client.reading(telemetry, sensor, n) },
  { what: 'get by id', write: (client, targets, n) => client.get(one(targets), idAt(targets, n)) },
  { what: 'upload of 1 KB', write: (client, { folder }, n) => client.upload(folder, `small ${n}.bin`, KILOBYTE) },
  { what: 'delete', write: (client, targets, n) => client.remove(one(targets), idAt(targets, n)) },
];

/** One write a request, through the gateway, on 1, 16 and 64 connections; beside it one committed INSERT for each, by turns. */
export async function benchSmall(platform: BenchPlatform, options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
  const rows: BenchRow[] = [];
  for (const connections of CONNECTIONS) {
    const client = new SmallClient(platform.baseUrl, owner, connections);
    const bare = platform.isOneMachine ? await BareInserts.create(platform.databaseUrl('itemsvc'), connections) : undefined;
    const requests = connections === 1 ? Math.ceil(options.smallWrites / 4) : options.smallWrites;
    try {
      const targets = await makeTargets(client, (options.rounds + 1) * requests);
      for (const form of FORMS) {
        say(`${form.what}, ${connections} connections`);
        rows.push(await benchForm(platform, { form, client, bare, targets, connections, requests, rounds: options.rounds }));
      }
    } finally {
      await Promise.all([client.close(), bare?.close()]);
    }
  }
  return rows;
}

async function makeTargets(client: SmallClient, items: number): Promise<Targets> {
  const collections: string[] = [];
  for (let n = 0; n < COLLECTIONS; n += 1) collections.push(await client.collection('NamedUserCollection'));
  const telemetry = await client.collection('NamedTelemetryCollection');
  const sensor = await client.create(telemetry, { _sourceId: 'bench' });
  const ids: string[] = [];
  await drive(items, CONNECTIONS.at(-1) as number, async (n) => ids.push(await client.create(collections[0] as string, sampleItem(n))));
  return { collections, telemetry, sensor, folder: await client.folder(`small ${Date.now()}`), ids };
}

interface Run {
  readonly form: Form;
  readonly client: SmallClient;
  readonly bare: BareInserts | undefined;
  readonly targets: Targets;
  readonly connections: number;
  readonly requests: number;
  readonly rounds: number;
}

/** The first round warms up and is left out. */
async function benchForm(platform: BenchPlatform, { form, client, bare, targets, connections, requests, rounds }: Run): Promise<BenchRow> {
  const [ours, theirs]: [Load[], Load[]] = [[], []];
  const clocks = SERVICES.map((service) => ({ service, time: ServiceTime.of(service, platform.processId), used: 0 }));
  for (let round = 0; round <= rounds; round += 1) {
    const bareLoad = bare && (await drive(requests, connections, (n) => bare.insert(sampleItem(n))));
    const before = clocks.map(({ time }) => time.seconds());
    const load = await drive(requests, connections, (n) => form.write(client, targets, round * requests + n));
    if (round === 0) continue;
    clocks.forEach((clock, index) => (clock.used += clock.time.seconds() - (before[index] ?? 0)));
    ours.push(load);
    if (bareLoad) theirs.push(bareLoad);
  }
  const [measured, beside] = [medianLoad(ours), theirs.length === 0 ? undefined : medianLoad(theirs)];
  const cpu = clocks.filter(({ used }) => used > 0).map(({ service, used }) => `${service} ${Math.round((used * 1e6) / (rounds * requests))} us`);
  return {
    group: 'small', what: `${form.what}, ${connections} connection${connections === 1 ? '' : 's'}`, measured: loadText(measured), value: measured.perSecond, cpu: cpu.join(', '),
    ...(beside && { bare: loadText(beside), ratio: (measured.perSecond / beside.perSecond).toFixed(2) }), ...(form.goal !== undefined && { goal: form.goal }),
  };
}
