import { Client } from 'pg';

/** Makes those databases of the list that are missing. */
export async function createDatabases(adminUrl: string, names: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    const existing = new Set(rows.map((row) => row.datname));
    for (const name of names.filter((candidate) => !existing.has(candidate))) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
