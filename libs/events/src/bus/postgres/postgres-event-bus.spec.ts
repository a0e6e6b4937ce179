import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createTestDatabase, eventually, type TestDatabase } from '@twinyard/testing';
import { Client } from 'pg';
import { describeEventBus, drain } from '../../../test/describe-event-bus';
import { fileMessage, nameOf } from '../../../test/sample-events';
import { APPEND, appendParameter } from './event-log';
import { partitionOf } from './partition';
import { PostgresEventBus } from './postgres-event-bus';

const KILLED = resolve(__dirname, '..', '..', '..', '..', '..', 'dist', 'libs', 'events', 'test', 'killed-consumer-process.js');

describeEventBus('PostgresEventBus', async () => {
  const database = await createTestDatabase();
  return {
    open: async (options = {}) => {
      const bus = new PostgresEventBus({ url: database.url, ...options });
      await bus.start();
      return bus;
    },
    close: () => database.drop(),
  };
});

describe('PostgresEventBus', () => {
  let database: TestDatabase;
  let bus: PostgresEventBus;
  let topic: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    bus = new PostgresEventBus({ url: database.url, leaseMs: 60_000 });
    await bus.start();
  });
  afterAll(async () => {
    await bus.close();
    await database.drop();
  });
  beforeEach(() => {
    topic = `test.${randomUUID()}`;
  });

  const withClient = async <T>(work: (client: Client) => Promise<T>, url = database.url): Promise<T> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const collect = async (group: string, seen: string[]) => bus.subscribe({ group, topics: [topic], handler: async (event) => void seen.push(String(nameOf(event))) });

  it('makes its tables once when several processes start together', async () => {
    const fresh = await createTestDatabase();
    const buses = Array.from({ length: 4 }, (_, index) => new PostgresEventBus({ url: fresh.url, partitions: index + 2 }));
    await Promise.all(buses.map((each) => each.start()));
    await Promise.all(buses.map((each, index) => each.subscribe({ group: 'any', topics: [`topic-${index}`], handler: async () => undefined })));
    const { rows } = await withClient((client) => client.query('SELECT count(*)::int AS heads FROM event_heads GROUP BY topic'), fresh.url);
    expect(rows).toHaveLength(4);
    expect(new Set(rows.map((row: { heads: number }) => row.heads)).size).toBe(1);
    await Promise.all(buses.map((each) => each.close()));
    await fresh.drop();
  });

  it('loses no event whose transaction commits after a later one began', async () => {
    const seen: string[] = [];
    const consumer = await collect('readers', seen);
    await withClient(async (late) => {
      await late.query('BEGIN');
      await late.query(APPEND, [appendParameter([fileMessage(topic, 'a', 'late')], 4)]);
      const other = new PostgresEventBus({ url: database.url });
      const appended = other.publish([fileMessage(topic, 'a', 'next')]);
      const waiting = eventually(async () => {
        await late.query('SELECT pg_stat_clear_snapshot()'); // a transaction sees the sessions that there were at its first look
        const { rows } = await late.query("SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = current_database() AND NOT l.granted");
        expect(rows).toHaveLength(1);
      });
      await Promise.race([waiting, appended.then(() => Promise.reject(new Error('it did not wait')))]);
      await drain(consumer);
      expect(seen).toEqual([]);
      await late.query('COMMIT');
      await appended;
      await other.close();
    });
    await drain(consumer);
    expect(seen).toEqual(['late', 'next']);
  });

  it('leaves no gap where a transaction was rolled back', async () => {
    const seen: string[] = [];
    const consumer = await collect('readers', seen);
    await withClient(async (client) => {
      await client.query('BEGIN');
      await client.query(APPEND, [appendParameter([fileMessage(topic, 'a', 'undone')], 4)]);
      await client.query('ROLLBACK');
    });
    await bus.publish([fileMessage(topic, 'a', 'done')]);
    await drain(consumer);
    expect(seen).toEqual(['done']);
  });

  it('goes on soon after three processes in a row were killed in the middle of an event', async () => {
    await bus.publish([fileMessage(topic, 'a', '1')]);
    for (let kills = 0; kills < 3; kills += 1) {
      const killed = fork(KILLED, [database.url, 'unlucky', topic], { stdio: 'inherit' });
      const [said] = await Promise.race([once(killed, 'message'), once(killed, 'exit')]) as [unknown];
      expect(said).toBe('begun');
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    }
    const seen: string[] = [];
    const patient = new PostgresEventBus({ url: database.url, idleMs: 600_000 });
    await patient.start();
    const consumer = await patient.subscribe({ group: 'unlucky', topics: [topic], handler: async (event) => void seen.push(String(nameOf(event))) });
    consumer.start();
    await eventually(() => expect(seen).toEqual(['1']), { timeoutMs: 15_000 });
    await patient.close();
  }, 60_000);

  it('keeps old events until every group has passed them', async () => {
    const slow: string[] = [];
    const consumer = await collect('slow', slow);
    await drain(await collect('quick', []));
    await bus.publish([fileMessage(topic, 'a', '1'), fileMessage(topic, 'a', '2')]);
    const eightDaysOn = new Date(Date.now() + 8 * 86_400_000);
    await bus.prune(eightDaysOn);
    await drain(consumer);
    expect(slow).toEqual(['1', '2']);
    await drain(await collect('quick', []));
    expect(await bus.prune()).toBe(0);
    expect(await bus.prune(eightDaysOn)).toBeGreaterThanOrEqual(2);
    const late: string[] = [];
    const newcomer = await collect('newcomer', late);
    await bus.publish([fileMessage(topic, 'a', '3')]);
    await drain(newcomer);
    expect(late).toEqual(['3']);
  });

  it('keeps nothing for a group that has left a topic', async () => {
    const [other, seen] = [`test.${randomUUID()}`, [] as string[]];
    const eightDaysOn = new Date(Date.now() + 8 * 86_400_000);
    const count = () => withClient(async (client) => (await client.query('SELECT FROM event_log WHERE topic = $1', [topic])).rowCount);
    await collect('leaving', seen);
    await bus.publish([fileMessage(topic, 'a', 'one')]);
    await bus.prune(eightDaysOn);
    expect(await count()).toBe(1);
    await bus.subscribe({ group: 'leaving', topics: [other], left: [topic], handler: async () => undefined });
    await bus.prune(eightDaysOn);
    expect([await count(), seen]).toEqual([0, []]);
  });

  it('works on when its connections are cut, and hears of events again', async () => {
    const seen: string[] = [];
    const consumer = await collect('readers', seen);
    consumer.start();
    await withClient((client) => client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"));
    await eventually(() => bus.publish([fileMessage(topic, 'a', '1')]));
    await eventually(() => expect(seen).toContain('1'));
    await consumer.stop();
  });

  it('begins what has come in all partitions of a topic together, and gives all of them back', async () => {
    const begun: number[] = [];
    const begin = async (events: readonly unknown[]) => {
      begun.push(events.length);
      return async () => undefined;
    };
    const consumer = await bus.subscribe({ group: 'readers', topics: [topic], handler: async () => undefined, begin });
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(new Set(keys.map((key) => partitionOf(key, 4))).size).toBe(4);
    await bus.publish(keys.map((key) => fileMessage(topic, key, '1')));
    expect(await consumer.step()).toBe(keys.length);
    await bus.publish(keys.map((key) => fileMessage(topic, key, '2')));
    expect(await consumer.step()).toBe(keys.length);
    expect(await consumer.step()).toBe(0);
    expect(begun).toEqual([keys.length, keys.length]);
  });

  it('uses one connection', async () => {
    const consumer = await collect('readers', []);
    consumer.start();
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => bus.publish([fileMessage(topic, key, '1')])));
    await withClient((client) => eventually(async () => {
      const { rows } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
      expect(rows).toHaveLength(1);
    }));
    await consumer.stop();
  });
});

describe('partitionOf', () => {
  it('keeps a key where it was in every release', () => {
    expect(['', 'a', '64b7f0c2a1', 'Größe'].map((key) => partitionOf(key, 4))).toEqual([1, 0, 1, 2]);
  });

  it('spreads keys', () => {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < 4_000; n += 1) counts[partitionOf(`file-${n}`, 4)]! += 1;
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });
});
