import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createTestDatabase, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type BaseSettings, baseSettings, createService, defineService, loadSettings, migrateService, SqlModule } from '../src';

/** Would fail, or write a second row, when it ran twice; slow enough for the others to meet it half way. */
class CreateThings1700000000001 implements MigrationInterface {
  readonly name = 'CreateThings1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE things (id text NOT NULL)');
    await runner.query('SELECT pg_sleep(0.2)');
    await runner.query(`INSERT INTO things VALUES ('made by the migration')`);
  }

  async down(): Promise<void> {}
}

class AlterThings1700000000002 implements MigrationInterface {
  readonly name = 'AlterThings1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE things ADD COLUMN size integer');
  }

  async down(): Promise<void> {}
}

describe('migrations', () => {
  let database: TestDatabase;
  let initialised: number;
  const opened: NestFastifyApplication[] = [];

  @Injectable()
  class Worker implements OnModuleInit {
    onModuleInit(): void {
      initialised += 1;
    }
  }

  @Module({ providers: [Worker] })
  class TestModule {}

  const definition = defineService({
    name: 'aisvc', settings: baseSettings, openApi: { title: 'Test', description: '' },
    module: (settings: BaseSettings & { DATABASE_URL: string }) => ({
      module: TestModule,
      imports: [SqlModule.forRoot({ url: settings.DATABASE_URL, entities: [], migrations: [CreateThings1700000000001, AlterThings1700000000002] })],
    }),
  });

  const settings = (more: Record<string, string> = {}) => loadSettings(baseSettings, {
    PORT: '0', HOST: '127.0.0.1', BASE_URL: 'http://twinyard.test', DATABASE_URL: database.url, EVENTS_DATABASE_URL: database.url, PASSPORT_URL: 'http://127.0.0.1:1',
    SERVICE_TOKEN: 'service-token-of-the-tests', LOG_LEVEL: 'fatal', ...more,
  });

  async function start(more: Record<string, string> = {}): Promise<void> {
    const app = await createService(definition, settings(more));
    opened.push(app);
    await app.init();
  }

  async function ask<R>(sql: string): Promise<R[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows as R[];
    } finally {
      await client.end();
    }
  }

  beforeEach(async () => {
    initialised = 0;
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((app) => app.close()));
    await database.drop();
  });

  it('run once each when three replicas and the command start together on an empty database', async () => {
    await Promise.all([start(), start(), migrateService(definition, settings()), start()]);
    expect(await ask('SELECT id, size FROM things')).toEqual([{ id: 'made by the migration', size: null }]);
    expect((await ask<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name)).toEqual(['CreateThings1700000000001', 'AlterThings1700000000002']);
    expect(initialised).toBe(3);
  });

  it('are run by the command alone, which initialises nothing, where a start shall not run them', async () => {
    await migrateService(definition, settings({ MIGRATE_ON_START: 'false' }));
    expect(initialised).toBe(0);
    await start({ MIGRATE_ON_START: 'false' });
    expect(initialised).toBe(1);
  });

  it('that are pending keep a service from starting that shall not run them, and are named', async () => {
    await expect(start({ MIGRATE_ON_START: 'false' })).rejects.toThrow(/not up to date: CreateThings1700000000001, AlterThings1700000000002\. Run the command migrate/);
    expect(await ask(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  it('that only a newer version knows keep no service from starting, which may be a replica of before in a rolling update', async () => {
    await migrateService(definition, settings());
    await ask(`INSERT INTO migrations (timestamp, name) VALUES (1900000000001, 'OfTomorrow1900000000001')`);
    await start();
    await start({ MIGRATE_ON_START: 'false' });
    expect(initialised).toBe(2);
  });

  it('leave the lock to the others when a process dies in the middle of them', async () => {
    const dying = new Client({ connectionString: database.url });
    dying.on('error', () => undefined);
    await dying.connect();
    const [{ pid } = { pid: 0 }] = (await dying.query('SELECT pg_advisory_lock(727001), pg_backend_pid() AS pid')).rows as { pid: number }[];
    const migrated = migrateService(definition, settings());
    await ask(`SELECT pg_terminate_backend(${pid})`);
    await migrated;
    expect(await ask('SELECT id FROM things')).toHaveLength(1);
  });
});
