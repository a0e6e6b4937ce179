import { Client, DatabaseError } from 'pg';

/** SQLSTATE of a database that exists: another platform's start was quicker. */
const DUPLICATE_DATABASE = '42P04';

/** Makes those databases of the list that are missing. */
export async function createDatabases(adminUrl: string, names: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    const existing = new Set(rows.map((row) => row.datname));
    for (const name of names.filter((candidate) => !existing.has(candidate))) await create(client, name);
  } finally {
    await client.end();
  }
}

/** In a locale that knows the letters of all scripts, and that each server from 17 on has in itself. */
async function create(client: Client, name: string): Promise<void> {
  try {
    await client.query(`create database ${client.escapeIdentifier(name)} template template0 encoding 'UTF8' locale 'C' locale_provider builtin builtin_locale 'C.UTF-8'`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DUPLICATE_DATABASE) throw error;
  }
}
