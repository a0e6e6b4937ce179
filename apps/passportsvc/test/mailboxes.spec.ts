import { randomUUID } from 'node:crypto';
import { createDataSource } from '@twinyard/service-kit';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import type { DataSource } from 'typeorm';
import { migrations } from '../src/migrations';
import { OneMailboxOneAccount1700000000690 } from '../src/migrations/1700000000690-OneMailboxOneAccount';
import { runMailboxesCommand } from '../src/users/mailboxes-command';
import { SharedMailboxesRepository } from '../src/users/shared-mailboxes.repository';

/** In the order in which they were made. */
const ACCOUNTS = {
  plain: 'desk@example.com', punycode: 'x@xn--bcher-kva.example', unicode: 'x@bücher.example', wide: 'y@ｅｘａｍｐｌｅ.com', dot: 'z@example.com.', longS: 'ſam@example.com', sam: 'sam@example.com', list: 'a,b@example.com', host: 'c@example..com',
};

describe('accounts from before one mailbox was one account', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const ids: Record<string, string> = {};
  const before = migrations.filter((one) => one !== OneMailboxOneAccount1700000000690);

  const open = async (all: typeof migrations) => {
    dataSource = await createDataSource({ url: database.url, entities: [], migrations: all, poolSize: 2 }).initialize();
    await dataSource.runMigrations();
  };
  const printed = async () => {
    const lines: string[] = [];
    expect(await runMailboxesCommand([], new SharedMailboxesRepository(dataSource), (line) => lines.push(line))).toBe(0);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    await open(before);
    for (const [at, [name, email]] of Object.entries(ACCOUNTS).entries()) {
      ids[name] = randomUUID();
      await dataSource.query(`INSERT INTO app_user (id, email, created_by_id, updated_by_id, created_at) VALUES ($1, $2, 'x', 'x', $3)`, [ids[name], email, new Date(Date.UTC(2024, 0, 1 + at))]);
    }
    for (const [name, userName] of [['plain', 'ſcim'], ['list', 'Scim']]) await dataSource.query('UPDATE app_user SET user_name = $2 WHERE id = $1', [ids[name as string], userName]);
    await dataSource.query(`INSERT INTO reset_request (email, language) VALUES ('x@xn--bcher-kva.example', 'en')`);
    await dataSource.destroy();
    await open(migrations);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('are all kept; the first made has the mailbox, and the others stay as they were', async () => {
    const rows = await dataSource.query<{ id: string; email: string }[]>('SELECT id, email FROM app_user');
    expect(Object.fromEntries(Object.keys(ACCOUNTS).map((name) => [name, rows.find(({ id }) => id === ids[name])?.email]))).toEqual({
      ...ACCOUNTS, wide: 'y@example.com', dot: 'z@example.com',
    });
    expect(await dataSource.query('SELECT email FROM reset_request')).toEqual([{ email: 'x@bücher.example' }]);
  });

  it('are listed by a command, with who has their mailbox, and so are names that differ by case alone', async () => {
    const of = (name: keyof typeof ACCOUNTS, mailbox: string | null, holder: string | null) => ({ id: ids[name], email: ACCOUNTS[name], mailbox, holderId: holder === null ? null : ids[holder] });
    const lines = await printed();
    expect(lines.filter((line) => 'mailbox' in line)).toEqual(expect.arrayContaining([
      of('punycode', 'x@bücher.example', 'unicode'), of('longS', 'sam@example.com', 'sam'), of('list', null, null), of('host', null, null),
    ]));
    expect(lines.filter((line) => 'name' in line)).toEqual(expect.arrayContaining([{ id: ids['list'], name: 'Scim', holderId: ids['plain'] }, { id: ids['sam'], name: 'sam@example.com', holderId: ids['longS'] }]));
    expect(lines).toHaveLength(6);
    expect(await runMailboxesCommand(['more'], new SharedMailboxesRepository(dataSource), () => undefined)).toBe(2);
  });

  it('let nobody else have their names, in any case', async () => {
    const insert = (email: string, userName: string | null) => dataSource.query(`INSERT INTO app_user (id, email, user_name, created_by_id, updated_by_id) VALUES ($1, $2, $3, 'x', 'x')`, [randomUUID(), email, userName]);
    for (const [email, userName] of [['new1@example.com', 'SCIM'], ['new2@example.com', '\u212aeys'], ['new3@example.com', 'KEYS'], ['DESK2@example.com', null]] as const) {
      const outcome = await insert(email, userName).then(() => 'made', () => 'refused');
      expect([userName ?? email, outcome]).toEqual([userName ?? email, userName === 'SCIM' || userName === 'KEYS' ? 'refused' : 'made']);
    }
  });

  it('and go back to the version before', async () => {
    await dataSource.query('DELETE FROM app_user WHERE id = $1', [ids['list']]);
    await dataSource.undoLastMigration();
    expect((await dataSource.query<{ n: number }[]>(`SELECT count(*)::int AS n FROM information_schema.columns WHERE table_name = 'app_user' AND column_name = 'shares_name'`))[0]?.n).toBe(0);
    await dataSource.runMigrations();
  });
});
