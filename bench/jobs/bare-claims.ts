import { Client } from 'pg';

/** What such work costs without us: a loop that locks one row, deletes it and commits. Answers how many a second. */
export async function benchBareClaims(url: string, count: number): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('CREATE TABLE bare_job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload json NOT NULL)');
    await client.query(`INSERT INTO bare_job (payload) SELECT '{"at":1}' FROM generate_series(1, $1::int)`, [count]);
    const began = performance.now();
    for (let n = 0; n < count; n += 1) {
      await client.query({ name: 'claim', text: 'DELETE FROM bare_job WHERE id = (SELECT id FROM bare_job ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING payload' });
    }
    return (count / (performance.now() - began)) * 1_000;
  } finally {
    await client.end();
  }
}
