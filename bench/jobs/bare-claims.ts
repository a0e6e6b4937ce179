import { Client } from 'pg';

const CLAIM = {
  name: 'claim',
  text: 'DELETE FROM bare_job WHERE id = (SELECT id FROM bare_job ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING payload',
};

/** What such work costs without us: a loop on each connection that locks one row, deletes it and commits. Answers how many a second. */
export async function benchBareClaims(url: string, count: number, connections: number): Promise<number> {
  const clients = Array.from({ length: connections }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    const [first] = clients;
    await first?.query('CREATE TABLE IF NOT EXISTS bare_job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload json NOT NULL)');
    await first?.query(`INSERT INTO bare_job (payload) SELECT '{"at":1}' FROM generate_series(1, $1::int)`, [count]);
    const began = performance.now();
    const done = await Promise.all(clients.map(claimAll));
    const rate = (count / (performance.now() - began)) * 1_000;
    const sum = done.reduce((all, some) => all + some, 0);
    if (sum !== count) throw new Error(`${sum} of ${count} bare jobs were done`);
    return rate;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function claimAll(client: Client): Promise<number> {
  let done = 0;
  while ((await client.query(CLAIM)).rowCount === 1) done += 1;
  return done;
}
