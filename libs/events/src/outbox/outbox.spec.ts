import { randomUUID } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import type { BusMessage, EventBus } from '../bus/event-bus';
import { EVENTS_TABLES } from '../events-migration';
import { gate } from '../../test/describe-event-bus';
import { fileEvent, nameOf } from '../../test/sample-events';
import { openServiceDatabase, type ServiceDatabase } from '../../test/service-database';
import { Outbox } from './outbox';
import { Relay } from './relay';
import { SqlOutboxStore } from './sql-outbox-store';

/** Takes what is published, as the log does; a test decides what happens in between. The bus's own suite is describeEventBus. */
class PublishRecorder {
  readonly published: BusMessage[] = [];
  before: () => Promise<void> = () => Promise.resolve();

  async publish(messages: readonly BusMessage[]): Promise<void> {
    await this.before();
    this.published.push(...messages);
  }

  names(key: string): (string | undefined)[] {
    return this.published.filter(({ event }) => event.partitionkey === key).map(({ event }) => nameOf(event));
  }

  sequences(key: string): number[] {
    return this.published.filter(({ event }) => event.partitionkey === key).map(({ event }) => Number(event.sequence));
  }
}

describe('outbox and relay', () => {
  let database: ServiceDatabase;
  const store = new SqlOutboxStore();
  const outbox = new Outbox(store);

  beforeAll(async () => {
    database = await openServiceDatabase();
  });
  afterAll(() => database.close());
  afterEach(() => database.dataSource.query('TRUNCATE event_outbox'));

  const append = (...events: [key: string, name: string][]) =>
    database.unitOfWork.run((tx) => outbox.append(tx, ...events.map(([key, name]) => fileEvent(key, name))));
  const relayTo = (bus: PublishRecorder, options: { batch?: number; leaseMs?: number; idleMs?: number } = {}) =>
    new Relay({ unitOfWork: database.unitOfWork, store, bus: bus as unknown as EventBus }, options);
  const backlog = () => database.unitOfWork.run((tx) => store.backlog(tx));

  it('publishes what was committed and nothing of what was rolled back', async () => {
    const [bus, key] = [new PublishRecorder(), randomUUID()];
    await append([key, 'kept']);
    await expect(database.unitOfWork.run(async (tx) => {
      await outbox.append(tx, fileEvent(key, 'undone'));
      throw new Error('the caller failed');
    })).rejects.toThrow('the caller failed');
    await append([key, 'kept too']);
    expect(await relayTo(bus).step()).toBe(2);
    expect(bus.names(key)).toEqual(['kept', 'kept too']);
    expect(bus.sequences(key)).toEqual([1, 2]);
    expect(bus.published[0]?.topic).toBe('filesvc.file');
    expect(await backlog()).toBe(0);
  });

  it('numbers the events of each key from 1, also within one append', async () => {
    const [bus, one, two] = [new PublishRecorder(), randomUUID(), randomUUID()];
    await append([one, '1'], [two, '1'], [one, '2'], [one, '3']);
    await append([two, '2'], [one, '4']);
    await relayTo(bus).step();
    expect([bus.names(one), bus.sequences(one)]).toEqual([['1', '2', '3', '4'], [1, 2, 3, 4]]);
    expect([bus.names(two), bus.sequences(two)]).toEqual([['1', '2'], [1, 2]]);
  });

  it('has the second writer of a key wait for the first, so that numbers follow commits', async () => {
    const [bus, key, hold] = [new PublishRecorder(), randomUUID(), gate()];
    const appended = gate();
    const first = database.unitOfWork.run(async (tx) => {
      await outbox.append(tx, fileEvent(key, 'first'));
      appended.open();
      await hold.opened;
    });
    await appended.opened;
    const second = append([key, 'second']);
    await append([randomUUID(), 'another key does not wait']);
    expect(await relayTo(bus).step()).toBe(1);
    hold.open();
    await Promise.all([first, second]);
    await relayTo(bus).step();
    expect(bus.names(key)).toEqual(['first', 'second']);
  });

  it('lets bulk writes of the same keys in other orders pass each other', async () => {
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const all = keys.map((key): [string, string] => [key, 'x']);
    await Promise.all([append(...all), append(...all.toReversed()), append(...all), append(...all.toReversed())]);
    expect(await backlog()).toBe(80);
  });

  it('keeps the order per key with two relays at work', async () => {
    const bus = new PublishRecorder();
    const keys = Array.from({ length: 5 }, () => randomUUID());
    for (let n = 1; n <= 12; n += 1) await append(...keys.map((key): [string, string] => [key, String(n)]));
    const relays = [relayTo(bus, { batch: 7 }), relayTo(bus, { batch: 7 })];
    await eventually(async () => {
      await Promise.all(relays.map((relay) => relay.step()));
      return (await backlog()) === 0;
    });
    for (const key of keys) expect(bus.names(key)).toEqual(Array.from({ length: 12 }, (_, n) => String(n + 1)));
  });

  it('leaves a key alone whose older event another relay is publishing', async () => {
    const [bus, hold, key, free] = [new PublishRecorder(), gate(), randomUUID(), randomUUID()];
    await append([key, '1']);
    const slow = new PublishRecorder();
    const publishing = gate();
    slow.before = () => (publishing.open(), hold.opened);
    const step = relayTo(slow).step();
    await publishing.opened;
    await append([key, '2'], [free, '1']);
    await relayTo(bus).step();
    expect([bus.names(key), bus.names(free)]).toEqual([[], ['1']]);
    hold.open();
    await step;
    await relayTo(bus).step();
    expect(bus.names(key)).toEqual(['2']);
  });

  it('publishes again what a relay published that died before it could say so', async () => {
    const [bus, key] = [new PublishRecorder(), randomUUID()];
    await append([key, '1'], [key, '2']);
    const dying = relayTo(bus, { leaseMs: 20 });
    const remove = jest.spyOn(store, 'remove').mockRejectedValueOnce(new Error('killed'));
    await expect(dying.step()).rejects.toThrow('killed');
    remove.mockRestore();
    await eventually(() => relayTo(bus).step().then((events) => events > 0));
    expect(bus.names(key)).toEqual(['1', '2', '1', '2']);
    expect(new Set(bus.published.map(({ event }) => event.id)).size).toBe(2);
  });

  it('publishes soon after the commit when it runs, and keeps trying while the bus is lost', async () => {
    const [bus, key] = [new PublishRecorder(), randomUUID()];
    let outages = 2;
    bus.before = () => (outages-- > 0 ? Promise.reject(new Error('the bus is lost')) : Promise.resolve());
    const relay = relayTo(bus);
    outbox.onAppend(() => relay.nudge());
    relay.start();
    await append([key, '1']);
    await eventually(() => expect(bus.names(key)).toEqual(['1']));
    await eventually(async () => expect(await backlog()).toBe(0));
    await relay.stop();
    await append([key, '2']);
    expect(await backlog()).toBe(1);
  });

  it('gives its leases back when it stops', async () => {
    const [bus, key] = [new PublishRecorder(), randomUUID()];
    await append([key, '1']);
    const broken = new PublishRecorder();
    broken.before = () => Promise.reject(new Error('the bus is lost'));
    const stopped = relayTo(broken);
    await expect(stopped.step()).rejects.toThrow('the bus is lost');
    await stopped.stop();
    expect(await relayTo(bus).step()).toBe(1);
  });

  it('makes its tables again without harm', async () => {
    for (const statement of EVENTS_TABLES) await database.dataSource.query(statement);
  });
});
