import { EventEmitter } from 'node:events';
import type { Logger } from '@twinyard/service-kit';
import type * as kafkajs from 'kafkajs';
import { KafkaClients, type KafkaLibrary } from './kafka-client';
import { KafkaConsumer } from './kafka-consumer';
import type { KafkaDeadLetters } from './kafka-dead-letters';
import { KafkaTopics } from './kafka-topics';
import { OnDemandConnection } from './on-demand-connection';

const TOPIC = 'files';
const SESSION_MS = 10_000;

/** The client as a consumer sees it: joins at once, and is lost when the test says so. */
class JoiningClient extends EventEmitter {
  readonly events = { GROUP_JOIN: 'join', REBALANCING: 'rebalancing', CRASH: 'crash', HEARTBEAT: 'heartbeat', FETCH: 'fetch' };
  connect = async () => undefined;
  disconnect = async () => undefined;
  subscribe = async () => undefined;
  run = async () => void this.emit('join', { payload: { memberAssignment: { [TOPIC]: [0] } } });
}

describe('KafkaConsumer', () => {
  let joined: JoiningClient[];
  let waits: unknown[];
  let consumer: KafkaConsumer;

  beforeEach(() => {
    jest.useFakeTimers();
    [joined, waits] = [[], []];
    const makeClient = () => {
      const client = new JoiningClient();
      joined.push(client);
      return client;
    };
    const admin = { connect: async () => undefined, disconnect: async () => undefined, listTopics: async () => [TOPIC, `${TOPIC}.dead`] };
    const library = { Kafka: class { consumer = makeClient; admin = () => admin; }, logLevel: {}, AssignerProtocol: {} } as unknown as KafkaLibrary;
    const options = { brokers: ['broker:9092'] };
    const clients = new KafkaClients(library, options);
    const connection = new OnDemandConnection(() => clients.make().admin());
    const logger = { isLevelEnabled: () => false, warn: ({ retryMs }: { readonly retryMs: number }) => waits.push(retryMs) } as unknown as Logger;
    consumer = new KafkaConsumer({ group: 'readers', topics: [TOPIC], handler: async () => undefined }, {
      clients, admin: connection as OnDemandConnection<kafkajs.Admin>, topics: new KafkaTopics(connection, options), deadLetters: {} as KafkaDeadLetters,
      groupId: 'readers', leaseMs: 300_000, sessionMs: SESSION_MS, logger, onStop: () => undefined,
    });
    consumer.start();
  });
  afterEach(async () => {
    const stopped = consumer.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    await stopped;
    jest.useRealTimers();
  });

  /** Each membership lasts so long; after it the next one has the time to begin. */
  const loseAfter = async (livedMs: number, times: number) => {
    for (let lost = 1; lost <= times; lost += 1) {
      await jest.advanceTimersByTimeAsync(livedMs);
      expect(joined).toHaveLength(lost);
      joined.at(-1)?.emit('crash', { payload: { error: new Error('the broker is gone') } });
      await jest.advanceTimersByTimeAsync(Number(waits.at(-1) ?? 0) + 1_000);
    }
  };

  it('joins again soon each time that a membership is lost which has lasted', async () => {
    await loseAfter(SESSION_MS + 1, 4);
    expect(waits).toEqual([100, 100, 100, 100]);
  });

  it('waits longer and longer while none lasts', async () => {
    await loseAfter(1, 4);
    expect(waits).toEqual([100, 200, 400, 800]);
  });
});
