import { Client } from 'pg';
import { AHEAD, CLAIM, LOOK, SETTLE } from '../src/store/postgres/claim-statements';
import { BY_INDEX } from '../src/store/postgres/statement-parts';
import { type JobsSubject, NOTE } from './jobs-subject';
import { openSqlSubject } from './sql-subject';

const [SLOTS, LEASE_MS, PER_NAMESPACE] = [8, 10_000, 100];
const STATEMENTS: readonly (readonly [sql: string, parameters: readonly unknown[]])[] = [
  [SETTLE, [NOTE.kind, '']], [CLAIM, [NOTE.kind, SLOTS, LEASE_MS, PER_NAMESPACE, '']], [AHEAD, [NOTE.kind]], [LOOK, [[NOTE.kind]]],
];

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } }];
}

/** No scan grows with the number of jobs that wait: seen by the pages that the server looks at, which no other work changes. */
describe('a claim on PostgreSQL', () => {
  let subject: JobsSubject;
  let client: Client;
  beforeAll(async () => {
    subject = await openSqlSubject();
    client = new Client({ connectionString: subject.address[1] });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await subject?.close();
  });

  const add = (state: 'READY' | 'WAITING', count: number, namespace: string) => client.query(
    `INSERT INTO job (id, kind, namespace, payload, state, due_at)
     SELECT $1::text || $2::text || n, $3::text, replace($2::text, '#', n::text), '{"text":"x"}', $1::text, now() + $4 * interval '1 hour' + n * interval '1 millisecond' FROM generate_series(1, $5::int) n`,
    [state, namespace, NOTE.kind, state === 'READY' ? -1 : 1, count],
  );
  /** Of one tenant, and of as many tenants with one each. */
  const fill = async (count: number) => {
    for (const state of ['READY', 'WAITING'] as const) for (const namespace of ['of_one', 'of_many_#']) await add(state, count, namespace);
    await client.query('VACUUM ANALYZE job');
  };
  const pages = async (): Promise<number> => {
    let sum = 0;
    await client.query('BEGIN');
    await client.query(BY_INDEX);
    for (const [sql, parameters] of STATEMENTS) {
      const { rows: [row] } = await client.query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`, [...parameters]);
      const { Plan: plan } = (row as Explained)['QUERY PLAN'][0];
      sum += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    await client.query('ROLLBACK');
    return sum;
  };

  it('looks at about as many pages beside a hundred thousand jobs as beside a few hundred', async () => {
    await fill(100);
    const beside400 = await pages();
    await client.query('DELETE FROM job');
    await fill(25_000);
    const beside100000 = await pages();
    expect(beside400).toBeGreaterThan(0);
    // The indexes are a level or two deeper.
    expect(beside100000).toBeLessThan(3 * beside400);
  });
});
