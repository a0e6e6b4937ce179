import { Client } from 'pg';
import { type BenchRow, loadText } from '../bench-table';
import { type Collection, ItemClient } from '../items/item-client';
import { ITEMS_PER_ROOM, roomAt, sampleItem } from '../items/sample-item';
import { freshDatabase } from '../jobs/bench-database';
import type { BenchOptions } from '../options';
import type { BenchPlatform } from '../platform/bench-platform';
import { SmallClient } from '../small/small-client';
import { drive, type Load, medianLoad } from '../statistics';
import { ParseClient } from './parse-client';
import { ParseServer } from './parse-server';

const group = 'peers';
const CONNECTIONS = [1, 16, 64] as const;
const BATCH = 500;
const PAGE = 50;

/** The two of them, holding the same items. */
interface Sides {
  readonly small: SmallClient;
  readonly items: ItemClient;
  readonly collection: Collection;
  readonly ids: readonly string[];
  readonly parse: ParseClient;
  readonly parseIds: readonly string[];
}

interface Form {
  readonly what: string;
  readonly goal: string;
  /** Requests for each of the single ones. */
  readonly share: number;
  readonly ours: (sides: Sides, index: number) => Promise<unknown>;
  readonly theirs: (sides: Sides, index: number) => Promise<unknown>;
}

const batchAt = (index: number) => Array.from({ length: BATCH }, (_, n) => sampleItem(index * BATCH + n));
const roomOf = ({ ids }: Sides, index: number) => roomAt((index * ITEMS_PER_ROOM) % ids.length);

const FORMS: readonly Form[] = [
  { what: 'create', goal: '>= 1.5', share: 1, ours: ({ small, collection }, n) => small.create(collection.id, sampleItem(n)), theirs: ({ parse }, n) => parse.create(sampleItem(n)) },
  { what: 'get by id', goal: '>= 1.3', share: 1, ours: ({ small, collection, ids }, n) => small.get(collection.id, ids[n % ids.length] as string), theirs: ({ parse, parseIds }, n) => parse.get(parseIds[n % parseIds.length] as string) },
  {
    what: `list of ${PAGE} of ${ITEMS_PER_ROOM}, filtered, sorted, with its total`, goal: '>= 2.8', share: 0.25,
    ours: (sides, n) => sides.items.list(sides.collection, { query: { room: roomOf(sides, n) }, sort: { tag: 1 }, pageSize: PAGE }),
    theirs: (sides, n) => sides.parse.list({ where: { room: roomOf(sides, n) }, order: 'tag', limit: PAGE }),
  },
  { what: `batch of ${BATCH}`, goal: '>= 5.6', share: 0.01, ours: ({ items, collection }, n) => items.createItems(collection, batchAt(n)), theirs: ({ parse }, n) => parse.batch(batchAt(n)) },
];

/** The same requests to us, through the gateway, and to Parse Server, by turns, on the same PostgreSQL. In `bare` stands Parse Server. */
export async function benchPeers(platform: BenchPlatform, options: BenchOptions, say: (what: string) => void): Promise<BenchRow[]> {
  const databaseUrl = await freshDatabase(platform.databaseUrl('postgres'), 'parse');
  say('starting Parse Server');
  const server = await ParseServer.start(databaseUrl);
  if (typeof server === 'string') return [{ group, what: 'Parse Server', measured: server }];
  try {
    const owner = JSON.parse(await platform.runTour('make-project')) as { token: string; namespace: string };
    const rows: BenchRow[] = [];
    for (const connections of CONNECTIONS) {
      const sides = await makeSides(platform, server, { owner, connections, databaseUrl });
      const requests = connections === 1 ? options.smallWrites / 4 : options.smallWrites;
      for (const form of FORMS) {
        say(`${form.what}, ${connections} connections`);
        rows.push(await benchForm(form, sides, { connections, rounds: options.rounds, requests: Math.ceil(requests * form.share), peer: server.version }));
      }
      await Promise.all([sides.small.close(), sides.items.close(), sides.parse.close()]);
    }
    return rows;
  } finally {
    await server.stop();
  }
}

interface Beginning {
  readonly owner: { readonly token: string; readonly namespace: string };
  readonly connections: number;
  readonly databaseUrl: string;
}

/** Both with 20 rooms, and an index by room. */
async function makeSides(platform: BenchPlatform, server: ParseServer, { owner, connections, databaseUrl }: Beginning): Promise<Sides> {
  const [small, items, parse] = [new SmallClient(platform.baseUrl, owner, connections), new ItemClient(platform.baseUrl, owner, connections), new ParseClient(server, `Element${connections}`, connections)];
  const collection = await items.createCollection(`peers${connections}`);
  await items.createIndex(collection, 'room');
  const [ids, parseIds]: [string[], string[]] = [[], []];
  await drive(20 * ITEMS_PER_ROOM, connections, async (n) => ids.push(await small.create(collection.id, sampleItem(n))));
  await drive(20 * ITEMS_PER_ROOM, connections, async (n) => parseIds.push(await parse.create(sampleItem(n))));
  await inParse(databaseUrl, `CREATE INDEX ON "${parse.className}" (room); ANALYZE "${parse.className}"`);
  return { small, items, collection, ids, parse, parseIds };
}

async function inParse(databaseUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

interface Terms {
  readonly connections: number;
  readonly requests: number;
  readonly rounds: number;
  readonly peer: string;
}

/** The first round warms up and is left out. */
async function benchForm(form: Form, sides: Sides, { connections, requests, rounds, peer }: Terms): Promise<BenchRow> {
  const [ours, theirs]: [Load[], Load[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const beside = await drive(requests, connections, (n) => form.theirs(sides, round * requests + n));
    const measured = await drive(requests, connections, (n) => form.ours(sides, round * requests + n));
    if (round === 0) continue;
    theirs.push(beside);
    ours.push(measured);
  }
  const [measured, beside] = [medianLoad(ours), medianLoad(theirs)];
  return {
    group, what: `${form.what}, ${connections} connection${connections === 1 ? '' : 's'}`, measured: loadText(measured), value: measured.perSecond,
    bare: `Parse Server ${peer}: ${loadText(beside)}`, ratio: (measured.perSecond / beside.perSecond).toFixed(2), goal: form.goal,
  };
}
