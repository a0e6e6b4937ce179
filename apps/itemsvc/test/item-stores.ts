import { createMongoDatabase, createTestDatabase, type EngineSettings } from '@twinyard/testing';
import { Client } from 'pg';

/** Where the service under test keeps what it has; looked at from outside where its ports cannot tell. */
export interface ItemStores {
  /** By which the service finds it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Tables or collections that are named for the item. */
  collectionsOf(itemId: string): Promise<number>;
  /** Tables or collections in which a text stands anywhere, as a part of a name too. */
  mentioning(text: string): Promise<string[]>;
  drop(): Promise<void>;
}

let open = openPostgres;

/** Has the specs that follow run on other stores. */
export function useItemStores(other: () => Promise<ItemStores>): void {
  open = other;
}

export const openItemStores = (): Promise<ItemStores> => open();

async function openPostgres(): Promise<ItemStores> {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    settings: { DATABASE_URL: database.url },
    collectionsOf: async (itemId) => {
      const { rows } = await client.query<{ n: number }>('select count(*)::int as n from information_schema.tables where table_name like $1', [`%${itemId}%`]);
      return rows[0]?.n ?? 0;
    },
    mentioning: (text) => mentioning(client, text),
    drop: async () => {
      await client.end();
      await database.drop();
    },
  };
}

async function mentioning(client: Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await client.query(`select from "${name}" t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (name.includes(text) || rowCount !== 0) found.push(name);
  }
  return found;
}

/** Tables of any PostgreSQL database in which a text stands. */
export async function mentioningIn(url: string, text: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await mentioning(client, text);
  } finally {
    await client.end();
  }
}

export async function openMongo(engine?: EngineSettings): Promise<ItemStores> {
  const database = await createMongoDatabase(engine);
  const { db } = await database.connect();
  return {
    settings: database.settings,
    collectionsOf: async (itemId) => (await db.listCollections({}, { nameOnly: true }).toArray()).filter(({ name }) => name.includes(itemId)).length,
    mentioning: async (text) => {
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
      const found: string[] = [];
      for (const name of names) {
        const documents = await db.collection(name).find().toArray();
        if (name.includes(text) || documents.some((document) => JSON.stringify(document).includes(text))) found.push(name);
      }
      return found;
    },
    drop: () => database.drop(),
  };
}
