import { randomUUID } from 'node:crypto';
import type { Tx, UnitOfWork } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import type { BusMessage, EventBus } from '../src/bus/event-bus';
import { Outbox } from '../src/outbox/outbox';
import type { OutboxStore } from '../src/outbox/outbox-store';
import { Relay, type RelayOptions } from '../src/outbox/relay';
import { gate } from './describe-event-bus';
import { fileEvent, nameOf, ORIGIN } from './sample-events';

/** One process on a database. */
export interface OutboxProcess {
  readonly store: OutboxStore;
  readonly unitOfWork: UnitOfWork<Tx>;
}

export interface OutboxSubject extends OutboxProcess {
  /** On the same database. */
  readonly other: OutboxProcess;
  /** Makes the tables or collections where they are missing, as every start does. */
  install(): Promise<void>;
  /** Removes what waits. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

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

/** What services and relays rely on, on any store. */
export function describeOutbox(name: string, open: () => Promise<OutboxSubject>): void {
  describe(`outbox and relay in ${name}`, () => {
    let database: OutboxSubject;
    let store: OutboxStore;
    let outbox: Outbox;

    beforeAll(async () => {
      database = await open();
      ({ store } = database);
      outbox = new Outbox(store);
    });
    afterAll(() => database?.close());
    afterEach(() => database.clear());

    type NewName = [key: string, name: string];
    const appendAt = ({ unitOfWork, store: outboxStore }: OutboxProcess, ...events: NewName[]) =>
      unitOfWork.run((tx) => outboxStore.append(tx, events.map(([key, name]) => fileEvent(key, name))));
    const append = (...events: NewName[]) => database.unitOfWork.run((tx) => outbox.append(tx, ...events.map(([key, name]) => fileEvent(key, name))));
    const relayTo = (bus: PublishRecorder, options: RelayOptions = {}, { unitOfWork, store: outboxStore }: OutboxProcess = database) =>
      new Relay({ unitOfWork, store: outboxStore, bus: bus as unknown as EventBus }, options);
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
      expect(bus.published.map(({ event }) => event.clientaddress)).toEqual([ORIGIN.address, ORIGIN.address]);
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
      const [bus, key, hold, appended] = [new PublishRecorder(), randomUUID(), gate(), gate()];
      const first = database.unitOfWork.run(async (tx) => {
        await outbox.append(tx, fileEvent(key, 'first'));
        await store.isEmpty(tx); // a write may wait for the next statement, to go in one trip with it
        appended.open();
        await hold.opened;
      });
      await appended.opened;
      const second = Promise.all([append([key, 'second']), appendAt(database.other, [key, 'third'])]);
      hold.open();
      await Promise.all([first, second]);
      await relayTo(bus).step();
      expect([bus.names(key)[0], bus.sequences(key)]).toEqual(['first', [1, 2, 3]]);
    });

    it('has nobody wait for the writer of another key', async () => {
      const [bus, key, hold, appended] = [new PublishRecorder(), randomUUID(), gate(), gate()];
      const first = database.unitOfWork.run(async (tx) => {
        await outbox.append(tx, fileEvent(key, 'first'));
        await store.isEmpty(tx);
        appended.open();
        await hold.opened;
      });
      await appended.opened;
      try {
        await append([randomUUID(), 'another key']);
        expect(await relayTo(bus).step()).toBe(1);
      } finally {
        hold.open();
        await first;
      }
      expect(await relayTo(bus).step()).toBe(1);
    });

    it('lets bulk writes of the same keys in other orders pass each other', async () => {
      const keys = Array.from({ length: 20 }, () => randomUUID());
      const all = keys.map((key): NewName => [key, 'x']);
      const { other } = database;
      await Promise.all([append(...all), append(...all.toReversed()), appendAt(other, ...all), appendAt(other, ...all.toReversed())]);
      expect(await backlog()).toBe(80);
      const bus = new PublishRecorder();
      await relayTo(bus).step();
      for (const key of keys) expect(bus.sequences(key)).toEqual([1, 2, 3, 4]);
    });

    it('keeps the order per key with two relays at work', async () => {
      const bus = new PublishRecorder();
      const keys = Array.from({ length: 5 }, () => randomUUID());
      for (let n = 1; n <= 12; n += 1) await append(...keys.map((key): NewName => [key, String(n)]));
      const relays = [relayTo(bus, { batch: 7 }), relayTo(bus, { batch: 7 }, database.other)];
      await eventually(async () => {
        await Promise.all(relays.map((relay) => relay.step()));
        return (await backlog()) === 0;
      });
      for (const key of keys) expect(bus.names(key)).toEqual(Array.from({ length: 12 }, (_, n) => String(n + 1)));
    });

    it('gives what it holds to one of two relays that claim at the same time', async () => {
      await append(...Array.from({ length: 6 }, (_, n): NewName => [`many ${n}`, 'x']));
      const claim = ({ unitOfWork, store: outboxStore }: OutboxProcess) =>
        unitOfWork.run((tx) => outboxStore.claim(tx, { owner: randomUUID(), leaseMs: 60_000, limit: 4 }));
      const claimed = (await Promise.all([claim(database), claim(database.other)])).map((entries) => entries.map(({ position }) => position));
      expect(claimed.map(({ length }) => length).sort()).toEqual([2, 4]);
      expect(new Set(claimed.flat()).size).toBe(6);
    });

    it('tells the last number of each key, in the order of keys', async () => {
      const prefix = randomUUID();
      await append([`${prefix} b`, '1'], [`${prefix} a`, '1'], [`${prefix} b`, '2'], [`${prefix} c`, '1']);
      const of = (...keys: string[]) => database.unitOfWork.run((tx) => store.sequencesOf(tx, 'filesvc.file', keys));
      const after = (key: string, limit: number) => database.unitOfWork.run((tx) => store.sequencesAfter(tx, 'filesvc.file', key, limit));
      expect(await of(`${prefix} b`, `${prefix} nobody`)).toEqual([{ key: `${prefix} b`, sequence: 2 }]);
      expect(await after(prefix, 2)).toEqual([{ key: `${prefix} a`, sequence: 1 }, { key: `${prefix} b`, sequence: 2 }]);
      expect((await after(`${prefix} b`, 1))).toEqual([{ key: `${prefix} c`, sequence: 1 }]);
      expect(await database.unitOfWork.run((tx) => store.sequencesAfter(tx, 'filesvc.folder', '', 10))).toEqual([]);
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

    it('takes over soon from one that was killed, and never from one that is slow', async () => {
      const [bus, slow, hold, key] = [new PublishRecorder(), new PublishRecorder(), gate(), randomUUID()];
      await append([key, '1']);
      const renewed = jest.spyOn(store, 'renew');
      slow.before = () => hold.opened;
      const step = relayTo(slow, { sessionMs: 3_000 }).step();
      // Longer than one sign of life would keep it.
      await eventually(() => expect(renewed.mock.calls.length).toBeGreaterThan(4));
      expect(await relayTo(bus).step()).toBe(0);
      hold.open();
      await step;
      await append([key, '2']);
      const killed = new PublishRecorder();
      killed.before = () => Promise.reject(new Error('killed'));
      await expect(relayTo(killed).step()).rejects.toThrow('killed');
      const next = relayTo(bus, { idleMs: 600_000 });
      next.start();
      await eventually(() => expect(bus.names(key)).toEqual(['2']), { timeoutMs: 20_000 });
      await next.stop();
      renewed.mockRestore();
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

    it('makes what it needs again without harm, also in two processes at once', async () => {
      await append([randomUUID(), 'stays']);
      await Promise.all([database.install(), database.install()]);
      expect(await backlog()).toBe(1);
    });
  });
}
