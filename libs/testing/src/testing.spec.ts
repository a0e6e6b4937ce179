import { Client } from 'pg';
import { eventually } from './eventually';
import { createTestDatabase } from './test-database';

describe('createTestDatabase', () => {
  it('gives a new empty database and removes it even while somebody is connected', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create table kept (id int)');
    expect((await client.query('select current_database() as name')).rows).toEqual([{ name: database.name }]);
    await database.drop();
    await expect(new Client({ connectionString: database.url }).connect()).rejects.toThrow(/does not exist/);
    await client.end().catch(() => undefined);
  });

  it('keeps two databases apart', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    expect(one.name).not.toBe(two.name);
    await Promise.all([one.drop(), two.drop()]);
  });
});

describe('eventually', () => {
  it('asks again until the check stops throwing and answers with what the check answers', async () => {
    let calls = 0;
    const answer = await eventually(() => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    }, { everyMs: 1 });
    expect(answer).toBe(3);
  });

  it('asks again while the check answers false', async () => {
    let calls = 0;
    await eventually(() => ++calls > 2, { everyMs: 1 });
    expect(calls).toBe(3);
  });

  it('throws the last failure when the time is up', async () => {
    const never = () => Promise.reject(new Error('still closed'));
    await expect(eventually(never, { timeoutMs: 20, everyMs: 5 })).rejects.toThrow('not within 20 ms: still closed');
  });
});
