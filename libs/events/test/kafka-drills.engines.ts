import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestingModule } from '@nestjs/testing';
import { ReadinessChecks } from '@twinyard/service-kit';
import { eventually, onEngine, type OwnEngines, ownEngines } from '@twinyard/testing';
import { change, seenOf, startEventService } from './event-service';
import { openServiceDatabase, type ServiceDatabase } from './service-database';

const REPLICA = resolve(__dirname, '..', '..', '..', 'dist', 'libs', 'events', 'test', 'event-service-process.js');
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const RECOVERED = { timeoutMs: 60_000 };

onEngine('kafka', () => {
  describe('a service on a Kafka that goes wrong', () => {
    let own: OwnEngines;
    let brokers: string[];
    let database: ServiceDatabase;
    const started: TestingModule[] = [];
    const children: ChildProcess[] = [];

    beforeAll(async () => {
      own = await ownEngines(['kafka']);
      brokers = (own.settings['KAFKA_BROKERS'] ?? '').split(',');
    });
    afterAll(() => own.stop());
    beforeEach(async () => {
      database = await openServiceDatabase();
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await Promise.all(started.splice(0).map((service) => service.close()));
      await database.close();
    });

    const start = async () => {
      const service = await startEventService(database, { brokers, sessionMs: 1_000, topicPrefix: `${database.dataSource.options.database}.` });
      started.push(service);
      return service;
    };
    const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);
    /** One change of each key after the other, while things happen. */
    const changeAll = async (service: TestingModule, rounds: number) => {
      for (const n of numbers(rounds)) await Promise.all(KEYS.map((key) => change(database, service, key, `${key} ${n}`)));
    };
    const expectAllInOrder = async (rounds: number) => {
      await eventually(async () => expect((await seenOf(database)).length).toBeGreaterThanOrEqual(KEYS.length * rounds), RECOVERED);
      const seen = await seenOf(database);
      for (const key of KEYS) expect(seen.filter((name) => name.startsWith(`${key} `))).toEqual(numbers(rounds).map((n) => `${key} ${n}`));
    };
    const seenAtLeast = (count: number) => eventually(async () => expect((await seenOf(database)).length).toBeGreaterThanOrEqual(count), RECOVERED);
    const failing = (service: TestingModule) => service.get(ReadinessChecks).failing();

    it('loses nothing and counts nothing twice when the broker is killed under load, twice', async () => {
      const [one] = [await start(), await start()];
      const changes = changeAll(one, 120);
      for (const count of [60, 240]) {
        await seenAtLeast(count);
        await own.kill('kafka');
        await eventually(async () => expect(await failing(one)).toEqual(['events']), RECOVERED);
        await own.restart('kafka');
        await eventually(async () => expect(await failing(one)).toEqual([]), RECOVERED);
      }
      await changes;
      await expectAllInOrder(120);
    }, 180_000);
  });
});
