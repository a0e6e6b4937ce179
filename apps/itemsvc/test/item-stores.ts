import { createMongoDatabase, createTestDatabase } from '@twinyard/testing';
import { Client } from 'pg';

/** Where the service under test keeps what it has; looked at from outside where its ports cannot tell. */
export interface ItemStores {
  /** By which the service finds it. */
  readonly settings: Readonly<Record<string, string>>;
  /** Tables or collections that are named for the item. */
  collectionsOf(itemId: string): Promise<number>;
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
    drop: async () => {
      await client.end();
      await database.drop();
    },
  };
}

export async function openMongo(): Promise<ItemStores> {
  const database = await createMongoDatabase();
  const { db } = await database.connect();
  return {
    settings: database.settings,
    collectionsOf: async (itemId) => (await db.listCollections({}, { nameOnly: true }).toArray()).filter(({ name }) => name.includes(itemId)).length,
    drop: () => database.drop(),
  };
}
