import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../src';

describe('the connections of a data source', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    source = await createDataSource({ url: database.url, entities: [], migrations: [], poolSize: 2 }).initialize();
  });
  afterAll(async () => {
    await source?.destroy();
    await database?.drop();
  });

  it('end nothing but themselves when they are lost between the pool and their owner', async () => {
    const pool = (source.driver as unknown as { readonly master: Pool }).master;
    const client = await pool.connect(); // as TypeORM has it before it listens
    try {
      const { rows: [told] } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => client.once('end', resolve));
      await source.query('SELECT pg_terminate_backend($1)', [told?.pid]);
      await ended;
      await expect(client.query('SELECT 1')).rejects.toThrow();
    } finally {
      client.release();
    }
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
