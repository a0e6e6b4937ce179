import { randomUUID } from 'node:crypto';
import { eventually } from '@twinyard/testing';
import { type Consumer, type EventBus, type RetryPolicy, type Subscription, TransientFailure } from '../src/bus/event-bus';
import type { CloudEvent } from '../src/contract/cloud-event';
import { fileMessage, nameOf, ORIGIN } from './sample-events';

/** The same log, as several processes see it. */
export interface BusUnderTest {
  /** Another process on the same log. A short lease lets a test see a takeover. */
  open(options?: { readonly leaseMs?: number }): Promise<EventBus>;
  close(): Promise<void>;
}

const QUICK: RetryPolicy = { attempts: 3, delayMs: 1, maxDelayMs: 4 };

/** What every adapter of the bus must do. Topics and groups are new in each test, so the log may be shared. */
export function describeEventBus(name: string, make: () => Promise<BusUnderTest>): void {
  describe(`${name} as an event bus`, () => {
    let log: BusUnderTest;
    let bus: EventBus;
    let topic: string;
    let readers: string;
    const consumers: Consumer[] = [];

    beforeAll(async () => {
      log = await make();
      bus = await log.open();
    });
    afterAll(async () => {
      await bus.close();
      await log.close();
    });
    beforeEach(() => {
      topic = `test.${randomUUID()}`;
      readers = `${topic}.readers`;
    });
    afterEach(() => Promise.all(consumers.splice(0).map((consumer) => consumer.stop())));

    const publish = (...events: [key: string, name: string][]) => bus.publish(events.map(([key, title]) => fileMessage(topic, key, title)));
    const subscribe = async (subscription: Omit<Subscription, 'topics'>, on = bus): Promise<Consumer> => {
      const consumer = await on.subscribe({ ...subscription, topics: [topic] });
      consumers.push(consumer);
      return consumer;
    };
    const collect = (on: EventBus, group: string, seen: string[]): Promise<Consumer> =>
      subscribe({ group, retry: QUICK, handler: async (event) => void seen.push(`${event.partitionkey}:${nameOf(event)}`) }, on);

    it('delivers what was published, as it was, and only once', async () => {
      const seen: CloudEvent[] = [];
      const message = fileMessage(topic, 'a', 'plan.ifc');
      const consumer = await subscribe({ group: readers, handler: async (event) => void seen.push(event) });
      await bus.publish([message]);
      await drain(consumer);
      expect(seen).toEqual([message.event]);
      expect(seen[0]?.clientaddress).toBe(ORIGIN.address);
      expect(await consumer.step()).toBe(0);
    });

    it('keeps the order within a key, over batches', async () => {
      const seen: string[] = [];
      const consumer = await collect(bus, readers, seen);
      const numbers = Array.from({ length: 30 }, (_, index) => index);
      for (const batch of [numbers.slice(0, 7), numbers.slice(7, 8), numbers.slice(8)]) {
        await publish(...batch.flatMap((n): [string, string][] => ['a', 'b', 'c', 'd', 'e'].map((key) => [key, String(n)])));
      }
      await drain(consumer);
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        expect(seen.filter((entry) => entry.startsWith(`${key}:`))).toEqual(numbers.map((n) => `${key}:${n}`));
      }
    });

    it('begins a batch with all of its events, in their order, before it gives them on one by one', async () => {
      const begun: string[] = [];
      const seen: string[] = [];
      const consumer = await subscribe({
        group: readers, handler: () => Promise.reject(new Error('the other one is to be used')), retry: QUICK,
        begin: async (events) => {
          begun.push(...events.map((event) => String(nameOf(event))));
          return async (event) => {
            expect(begun).toContain(nameOf(event));
            seen.push(String(nameOf(event)));
          };
        },
      });
      const names = Array.from({ length: 12 }, (_, index) => String(index));
      await publish(...names.map((name): [string, string] => ['a', name]));
      await drain(consumer);
      expect([[...new Set(begun)], seen]).toEqual([names, names]);
    });

    it('lets a new group read from the start', async () => {
      await publish(['a', '1'], ['a', '2']);
      const first: string[] = [];
      await drain(await collect(bus, 'first', first));
      const late: string[] = [];
      await drain(await collect(bus, 'late', late));
      expect([first, late]).toEqual([['a:1', 'a:2'], ['a:1', 'a:2']]);
    });

    it('starts where the group stopped, also in a new process', async () => {
      await publish(['a', '1']);
      const seen: string[] = [];
      const before = await collect(bus, readers, seen);
      await drain(before);
      await before.stop();
      await publish(['a', '2']);
      const restarted = await log.open();
      await drain(await collect(restarted, readers, seen));
      await restarted.close();
      expect(seen).toEqual(['a:1', 'a:2']);
    });

    it('shares the work between two members of a group, each event handled by one', async () => {
      const other = await log.open();
      const seen: string[] = [];
      const [one, two] = [await collect(bus, readers, seen), await collect(other, readers, seen)];
      const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
      await publish(...keys.flatMap((key): [string, string][] => [[key, '1'], [key, '2']]));
      // A member that has nothing left may be given what the other one had.
      await eventually(async () => {
        await Promise.all([drain(one), drain(two)]);
        expect(seen).toHaveLength(80);
      });
      expect(new Set(seen).size).toBe(80);
      for (const key of keys) expect(seen.indexOf(`${key}:1`)).toBeLessThan(seen.indexOf(`${key}:2`));
      await other.close();
    });

    it('hands a partition to another member when the lease of one that hangs runs out, and hears the late one no more', async () => {
      const hanging = await log.open({ leaseMs: 50 });
      const [hang, entered] = [gate(), gate()];
      const stuck = await hanging.subscribe({ group: readers, topics: [topic], handler: () => (entered.open(), hang.opened) });
      await publish(['a', '1']);
      const step = stuck.step();
      await entered.opened;
      const seen: string[] = [];
      const healthy = await collect(bus, readers, seen);
      await drainUntil(healthy, () => seen.length === 1);
      await publish(['a', '2']);
      await drain(healthy);
      hang.open();
      await step;
      await hanging.close();
      await drain(healthy);
      expect(seen).toEqual(['a:1', 'a:2']);
    });

    it('tries a failing event again before the ones behind it', async () => {
      const seen: string[] = [];
      let failures = 2;
      const consumer = await subscribe({
        group: readers, retry: QUICK,
        handler: async (event) => {
          if (nameOf(event) === '1' && failures-- > 0) throw new Error('not now');
          seen.push(String(nameOf(event)));
        },
      });
      await publish(['a', '1'], ['a', '2']);
      await drainUntil(consumer, () => seen.length === 2);
      expect(seen).toEqual(['1', '2']);
      expect(await bus.deadLetters({ topic })).toEqual([]);
    });

    it('lays a poison event aside with its cause and goes on; a replay goes to that group alone', async () => {
      let poisoned = true;
      const seen: string[] = [];
      const others: string[] = [];
      const consumer = await subscribe({
        group: readers, retry: QUICK,
        handler: async (event) => {
          if (poisoned && nameOf(event) === 'poison') throw new Error('cannot read this', { cause: new Error('the true reason') });
          seen.push(String(nameOf(event)));
        },
      });
      const bystander = await collect(bus, 'others', others);
      await publish(['a', 'poison'], ['a', 'good']);
      await drainUntil(consumer, () => seen.length === 1);
      await drain(bystander);
      const [letter, ...more] = await bus.deadLetters({ topic });
      expect(more).toEqual([]);
      expect(letter).toMatchObject({ group: readers, topic, event: { data: { resource: { _name: 'poison' } } } });
      expect(letter?.cause).toContain('cannot read this');
      expect(letter?.cause).toContain('the true reason');
      expect(letter?.event.clientaddress).toBe(ORIGIN.address);
      expect((await bus.statistics()).deadLetters).toContainEqual({ group: readers, topic: `${topic}.dead`, events: 1 });

      expect(await bus.replay({ topic, group: readers })).toBe(1);
      await drain(consumer);
      expect(await bus.deadLetters({ topic })).toHaveLength(1);

      poisoned = false;
      await bus.replay({ topic });
      await drain(consumer);
      await drain(bystander);
      expect(seen).toEqual(['good', 'poison']);
      expect(others).toEqual(['a:poison', 'a:good']);
      expect(await bus.deadLetters({ topic })).toEqual([]);
    });

    it('never gives up on an event that is not to blame', async () => {
      let lost = QUICK.attempts + 2;
      const seen: string[] = [];
      const consumer = await subscribe({
        group: readers, retry: QUICK,
        handler: async (event) => {
          if (lost-- > 0) throw new TransientFailure('the database is away');
          seen.push(String(nameOf(event)));
        },
      });
      await publish(['a', '1']);
      await drainUntil(consumer, () => seen.length === 1);
      expect(await bus.deadLetters({ topic })).toEqual([]);
    });

    it('wakes a started consumer, and stops it after the event in hand', async () => {
      const seen: string[] = [];
      const consumer = await collect(bus, readers, seen);
      consumer.start();
      await publish(['a', '1']);
      await eventually(() => expect(seen).toEqual(['a:1']));
      await consumer.stop();
      await publish(['a', '2']);
      await drain(await collect(bus, readers, seen));
      expect(seen).toEqual(['a:1', 'a:2']);
    });

    it('says how far a group is behind', async () => {
      const consumer = await collect(bus, readers, []);
      await publish(['a', '1'], ['b', '1']);
      expect((await bus.statistics()).lag).toContainEqual({ group: readers, topic, events: 2 });
      await drain(consumer);
      expect((await bus.statistics()).lag).toContainEqual({ group: readers, topic, events: 0 });
    });
  });
}

/** Steps until there is nothing to do. */
export async function drain(consumer: Pick<Consumer, 'step'>): Promise<void> {
  while ((await consumer.step()) > 0);
}

async function drainUntil(consumer: Pick<Consumer, 'step'>, done: () => boolean): Promise<void> {
  await eventually(async () => {
    await drain(consumer);
    return done();
  }, { everyMs: 2 });
}

/** Something to wait for that a test opens. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
