import { Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { createMongoDatabase, eventually, type MongoTestDatabase, onEngine } from '@twinyard/testing';
import { type Logger, LOGGER, MongoConnection, MongoModule, type MongoModuleOptions, MongoUnitOfWork, ReadinessChecks, UnitOfWork } from '../src';
import { MigrationPolicy } from '../src/sql/migration-policy';

const COLLECTIONS = { kept: [{ key: { at: 1 }, name: 'at' }] } as const;

onEngine('mongo', () => {
  describe('MongoModule', () => {
    let database: MongoTestDatabase;
    const warnings: string[] = [];

    beforeAll(async () => {
      database = await createMongoDatabase();
    });
    beforeEach(() => warnings.splice(0));
    afterAll(() => database?.drop());

    function kitOf(migrates: boolean) {
      const logger = { warn: (message: string) => warnings.push(message) } as unknown as Logger;
      @Module({})
      class Kit {}
      const providers = [ReadinessChecks, { provide: LOGGER, useValue: logger }, { provide: MigrationPolicy, useValue: new MigrationPolicy(migrates) }];
      return { module: Kit, global: true, providers, exports: providers };
    }
    const start = async (options: Partial<MongoModuleOptions> = {}, migrates = true): Promise<TestingModule> => {
      const { MONGO_URL: url = '', MONGO_ALLOW_STANDALONE } = database.settings;
      const given = { url, allowStandalone: MONGO_ALLOW_STANDALONE === 'true', collections: COLLECTIONS, serverSelectionTimeoutMs: 10_000, ...options };
      return (await Test.createTestingModule({ imports: [kitOf(migrates), MongoModule.forRoot(given)] }).compile()).init();
    };

    it('refuses to start on a database whose collections are missing, when it may not make them', async () => {
      await expect(start({}, false)).rejects.toThrow('kept');
      await (await start()).close();
      await (await start({}, false)).close();
    });

    it('gives the unit of work, and makes collections with their indexes, in several processes at once', async () => {
      const services = await Promise.all([start(), start(), start()]);
      const connection = services[0].get(MongoConnection);
      expect(services[0].get(UnitOfWork)).toBe(services[0].get(MongoUnitOfWork));
      expect((await connection.db.collection('kept').indexes()).map(({ name }) => name)).toContain('at');
      await Promise.all(services.map((service) => service.close()));
      await expect(connection.db.command({ ping: 1 })).rejects.toThrow();
    });

    it('says what a server without transactions gives up, and takes none unless it is allowed', async () => {
      const service = await start();
      const { hasTransactions } = service.get(MongoConnection);
      await service.close();
      expect(warnings.join()).toMatch(hasTransactions ? /^$/ : /MONGO_ALLOW_STANDALONE.*no transactions/);
      const strict = start({ allowStandalone: false });
      if (hasTransactions) await (await strict).close();
      else await expect(strict).rejects.toThrow(/MONGO_ALLOW_STANDALONE=true/);
    });

    it('is not ready while no server answers, and ready again when one does', async () => {
      const service = await start();
      const checks = service.get(ReadinessChecks);
      await eventually(async () => expect(await checks.failing()).toEqual([]));
      await database.shut();
      expect(await checks.failing()).toEqual(['database']);
      await database.unlock();
      await eventually(async () => expect(await checks.failing()).toEqual([]));
      await service.close();
    });

    it('does not start without a server', async () => {
      await database.shut();
      await expect(start({ serverSelectionTimeoutMs: 5_000 })).rejects.toThrow(/ECONNREFUSED/);
      await database.unlock();
    });
  });
});
