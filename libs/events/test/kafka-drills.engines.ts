import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { TestingModule } from '@nestjs/testing';
import { ReadinessChecks } from '@twinyard/service-kit';
import { eventually, onEngine, type OwnEngines, ownEngines } from '@twinyard/testing';
import { Kafka, logLevel } from 'kafkajs';
import { GroupConsumer } from '../src/runtime/group-consumer';
import { change, seenOf, startEventService } from './event-service';
import { openServiceDatabase, type ServiceDatabase } from './service-database';

const REPLICA = resolve(__dirname, '..', '..', '..', 'dist', 'libs', 'events', 'test', 'event-service-process.js');
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** For what never comes: a broker has taken a minute to start on a busy machine, and has to be missed by its clients first. */
const RECOVERED = { timeoutMs: 180_000 };
const DRILL_MS = 900_000;
/** Of members: another takes over after this time. A machine that stands still for longer has them all join again, which costs them no event. */
const SESSION_MS = 3_000;

const isGone = ({ message }: Error) => message.includes('does not host this topic');

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
    }, DRILL_MS);
    afterAll(() => own.stop());
    beforeEach(async () => {
      database = await openServiceDatabase();
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await Promise.all(started.splice(0).map((service) => service.close()));
      await database.close();
    });

    /** Topics and groups of this test alone. */
    const prefix = () => `${new URL(database.url).pathname.slice(1)}.`;
    const start = async () => {
      const service = await startEventService(database, { brokers, sessionMs: SESSION_MS, topicPrefix: prefix() });
      started.push(service);
      return service;
    };
    const startReplica = async () => {
      const child = fork(REPLICA, [database.url, brokers.join(','), prefix()], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.push(child);
      await once(child, 'message');
      return child;
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
    }, DRILL_MS);

    it('starts while the broker is away, is not ready, and catches up', async () => {
      await own.kill('kafka');
      const service = await start();
      expect(await failing(service)).toEqual(['events']);
      await changeAll(service, 3);
      await own.restart('kafka');
      await expectAllInOrder(3);
      // A busy machine takes longer to answer than the check waits.
      await eventually(async () => expect(await failing(service)).toEqual([]), RECOVERED);
    }, DRILL_MS);

    it('has another replica go on when one is killed, with each event handled once and in order', async () => {
      const publisher = await start();
      const replicas = [await startReplica(), await startReplica()];
      await publisher.get(GroupConsumer).stop();
      const changes = changeAll(publisher, 80);
      await seenAtLeast(60);
      replicas[0]?.kill('SIGKILL');
      await changes;
      await expectAllInOrder(80);
    }, DRILL_MS);

    it('keeps counts and order while replicas come and go', async () => {
      const publisher = await start();
      const changes = changeAll(publisher, 100);
      for (const count of [40, 120, 220]) {
        await seenAtLeast(count);
        const guest = await start();
        await seenAtLeast(count + 60);
        started.splice(started.indexOf(guest), 1);
        await guest.close();
      }
      await changes;
      await expectAllInOrder(100);
    }, DRILL_MS);

    it('leaves nobody behind in the group who was stopped while joining it', async () => {
      const stayed = await start();
      await changeAll(stayed, 1);
      await expectAllInOrder(1);
      for (let guests = 0; guests < 5; guests += 1) {
        const guest = await start();
        started.splice(started.indexOf(guest), 1);
        await guest.close();
      }
      const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const membersOf = async () => (await admin.describeGroups([`${prefix()}filesvc`])).groups.flatMap(({ members }) => members);
      await eventually(async () => expect(await membersOf()).toHaveLength(1), RECOVERED);
      await admin.disconnect();
    }, DRILL_MS);

    it('makes a topic again that somebody has deleted', async () => {
      const service = await start();
      await changeAll(service, 2);
      await expectAllInOrder(2);
      const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      const topic = `${prefix()}filesvc.file`;
      await admin.deleteTopics({ topics: [topic], timeout: 25_000 });
      // A broker hears of it after its controller has answered; what it takes in between goes with the topic, which its member may have made anew.
      const offsets = () => admin.fetchTopicOffsets(topic).catch((error: Error) => (isGone(error) ? [] : Promise.reject(error)));
      await eventually(async () => expect((await offsets()).filter(({ high }) => high !== '0')).toEqual([]), RECOVERED);
      await admin.disconnect();
      await database.dataSource.query('TRUNCATE seen');
      await changeAll(service, 4);
      await expectAllInOrder(4);
    }, DRILL_MS);
  });
});
