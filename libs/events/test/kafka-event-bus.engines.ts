import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { engineSettings, eventually, onEngine } from '@twinyard/testing';
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import { KafkaEventBus } from '../src/bus/kafka/kafka-event-bus';
import type { KafkaEventBusOptions } from '../src/bus/kafka/kafka-options';
import { describeEventBus, drain, gate } from './describe-event-bus';
import { fileMessage, nameOf } from './sample-events';

const REPLAY_COMMAND = resolve(__dirname, '..', '..', '..', 'dist', 'libs', 'events', 'src', 'replay-dead-letters.js');

/** Longer than a busy machine keeps a process from its heartbeats, or a broker from hearing them. */
const SESSION_MS = 15_000;
/** Far longer, where events are counted: to a member that was thought dead they come again. */
const PATIENT_SESSION_MS = 60_000;

const execute = promisify(execFile);

const brokersOf = () => (engineSettings('kafka')['KAFKA_BROKERS'] ?? '').split(',');

onEngine('kafka', () => {
  describeEventBus('KafkaEventBus', async () => ({
    open: async (options = {}) => {
      const bus = await KafkaEventBus.open({ brokers: brokersOf(), sessionMs: PATIENT_SESSION_MS, ...options });
      await bus.start();
      return bus;
    },
    close: () => Promise.resolve(),
  }));

  describe('KafkaEventBus', () => {
    const client = () => new Kafka({ brokers: brokersOf(), logLevel: logLevel.NOTHING });
    const buses: KafkaEventBus[] = [];
    let admin: Admin;
    let topicPrefix: string;

    beforeAll(async () => {
      admin = client().admin();
      await admin.connect();
    });
    afterAll(() => admin.disconnect());
    beforeEach(() => {
      topicPrefix = `${randomUUID()}.`;
    });
    afterEach(() => Promise.all(buses.splice(0).map((bus) => bus.close())));

    const open = async (options: Partial<KafkaEventBusOptions> = {}) => {
      const bus = await KafkaEventBus.open({ brokers: brokersOf(), topicPrefix, sessionMs: PATIENT_SESSION_MS, ...options });
      buses.push(bus);
      return bus;
    };
    const collect = (bus: KafkaEventBus, topics: string[], seen: string[]) =>
      bus.subscribe({ group: 'readers', topics, retry: { attempts: 1, delayMs: 1, maxDelayMs: 1 }, handler: async (event) => void seen.push(String(nameOf(event))) });

    it('makes the topics once when several replicas start together, with the partitions that are set', async () => {
      const replicas = await Promise.all([1, 2, 3, 4].map(() => open({ partitions: 3, retentionMs: 60_000 })));
      await Promise.all(replicas.map((replica) => replica.start()));
      const names = [`${topicPrefix}filesvc.file`, `${topicPrefix}filesvc.file.dead`];
      // Brokers answer in any order.
      const { topics } = await eventually(() => admin.fetchTopicMetadata({ topics: names }));
      expect(names.map((wanted) => topics.find(({ name }) => name === wanted)?.partitions.length)).toEqual([3, 1]);
      const { resources } = await eventually(() => admin.describeConfigs({
        includeSynonyms: false, resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configNames: ['cleanup.policy', 'retention.ms'] })),
      }));
      const valuesOf = (index: number) => Object.fromEntries(resources.find(({ resourceName }) => resourceName === names[index])?.configEntries.map(({ configName, configValue }) => [configName, configValue]) ?? []);
      expect(valuesOf(0)).toEqual({ 'cleanup.policy': 'delete', 'retention.ms': '60000' });
      expect(valuesOf(1)).toMatchObject({ 'cleanup.policy': 'compact' });
    });

    it('keeps its membership while one event takes longer than a session', async () => {
      const bus = await open({ sessionMs: SESSION_MS });
      const [hold, entered] = [gate(), gate()];
      let handled = 0;
      const consumer = await bus.subscribe({ group: 'readers', topics: ['long'], handler: async () => (entered.open(), await hold.opened, void (handled += 1)) });
      consumer.start();
      await bus.publish([fileMessage('long', 'a', '1')]);
      await entered.opened;
      const groupId = `${topicPrefix}readers`;
      const memberOf = () => eventually(async () => (await admin.describeGroups([groupId])).groups[0]?.members.map(({ memberId }) => memberId));
      const [before, since] = [await memberOf(), Date.now()];
      expect(before).toHaveLength(1);
      await eventually(() => Date.now() - since > SESSION_MS + 2_000);
      expect(await memberOf()).toEqual(before);
      hold.open();
      await eventually(async () => expect((await bus.statistics()).lag).toEqual([{ group: 'readers', topic: 'long', events: 0 }]));
      expect(handled).toBe(1);
    });

    it('gives each member of a group what it has subscribed to, also while an update has them handle different topics', async () => {
      const [old, updated] = [await open(), await open()];
      const seen: string[] = [];
      const members = [await collect(old, ['files'], seen), await collect(updated, ['files', 'teams'], seen)];
      for (const member of members) member.start();
      const names = Array.from({ length: 20 }, (_, n) => String(n));
      await updated.publish(names.flatMap((n) => [fileMessage('files', n, `file ${n}`), fileMessage('teams', n, `team ${n}`)]));
      await eventually(() => expect(seen).toHaveLength(40));
      expect(new Set(seen).size).toBe(40);
    });

    it('passes over a record that is no event', async () => {
      const bus = await open({ partitions: 1 });
      const seen: string[] = [];
      const consumer = await collect(bus, ['files'], seen);
      const stranger = client().producer({ allowAutoTopicCreation: false });
      await stranger.connect();
      await stranger.send({ topic: `${topicPrefix}files`, messages: [{ value: 'no JSON' }, { value: '{"specversion":"1.0"}' }, { value: null }] });
      await stranger.disconnect();
      await bus.publish([fileMessage('files', 'a', '1')]);
      await drain(consumer);
      expect(seen).toEqual(['1']);
      expect(await bus.deadLetters({})).toEqual([]);
    });

    it('takes many events and long ones', async () => {
      const bus = await open();
      const seen: string[] = [];
      const consumer = await collect(bus, ['files'], seen);
      const long = 'x'.repeat(2_000_000);
      await bus.publish([...Array.from({ length: 1_500 }, (_, n) => fileMessage('files', 'a', String(n))), fileMessage('files', 'a', long), fileMessage('files', 'a', 'last')]);
      await drain(consumer);
      expect(seen).toEqual([...Array.from({ length: 1_500 }, (_, n) => String(n)), long, 'last']);
    });

    it('shows operators the dead letters of another process, and replays them on command', async () => {
      const bus = await open();
      let poisoned = true;
      const seen: string[] = [];
      const consumer = await bus.subscribe({
        group: 'readers', topics: ['files', 'teams'], retry: { attempts: 1, delayMs: 1, maxDelayMs: 1 },
        handler: async (event) => {
          if (poisoned) throw new Error('cannot be read');
          seen.push(String(nameOf(event)));
        },
      });
      await bus.publish([fileMessage('files', 'a', 'bad file'), fileMessage('teams', 'b', 'bad team')]);
      await drain(consumer);
      poisoned = false;
      // Not synchronously: the consumer is a member of its group meanwhile.
      const command = async (...args: string[]) => (await execute(process.execPath, [REPLAY_COMMAND, ...args], {
        env: { PATH: process.env['PATH'], KAFKA_BROKERS: brokersOf().join(','), KAFKA_TOPIC_PREFIX: topicPrefix },
      })).stdout;
      const listed = (await command('--list')).trim().split('\n').map((line) => JSON.parse(line) as Record<string, string>);
      expect(listed.map(({ group, topic }) => `${group} ${topic}`).sort()).toEqual(['readers files', 'readers teams']);
      expect(listed[0]?.['cause']).toContain('cannot be read');
      expect(await command('--group', 'readers', '--topic', 'files')).toBe('1 events will be handled again by readers\n');
      await drain(consumer);
      expect(seen).toEqual(['bad file']);
      expect((await bus.statistics()).deadLetters).toEqual([{ group: 'readers', topic: 'teams.dead', events: 1 }]);
    });

    it('says that it cannot be reached', async () => {
      const nowhere = await KafkaEventBus.open({ brokers: ['127.0.0.1:1'] });
      await expect(nowhere.check()).rejects.toThrow();
      await expect(nowhere.publish([fileMessage('files', 'a', '1')])).rejects.toThrow('Kafka has not taken the events');
      await nowhere.close();
      const bus = await open();
      // A busy broker takes longer to answer than a check waits.
      await eventually(() => bus.check());
    });
  });
});
