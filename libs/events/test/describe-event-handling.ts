import { translateStoreError, type Tx, UnitOfWork } from '@twinyard/service-kit';
import { TransientFailure } from '../src/bus/event-bus';
import { toCloudEvent } from '../src/contract/cloud-event';
import type { ResourceEvent } from '../src/contract/event';
import { EventDispatcher } from '../src/handlers/event-dispatcher';
import type { EventHandler } from '../src/handlers/event-handlers';
import type { InboxStore } from '../src/inbox/inbox-store';
import { gate } from './describe-event-bus';
import { fileEvent } from './sample-events';

/** The database of a service whose handlers record names. */
export interface HandlingSubject {
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly inbox: InboxStore;
  record(tx: Tx, name: string): Promise<void>;
  /** In order. */
  recorded(): Promise<string[]>;
  clear(): Promise<void>;
  /** What the driver throws while no server answers. */
  lost(): Promise<Error>;
  close(): Promise<void>;
}

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** What a unit of work does while its database is away. */
class LostDatabase extends UnitOfWork<Tx> {
  constructor(private readonly failure: Error) {
    super();
  }

  override run<R>(): Promise<R> {
    return Promise.reject(translateStoreError(this.failure) as Error);
  }
}

/** What handlers rely on, on any store. */
export function describeEventHandling(name: string, open: () => Promise<HandlingSubject>): void {
  describe(`handlers with an inbox in ${name}`, () => {
    let database: HandlingSubject;

    beforeAll(async () => {
      database = await open();
    });
    afterAll(() => database?.close());
    afterEach(() => database.clear());

    const record = (tx: Tx, event: ResourceEvent, by = '') => database.record(tx, by + event.resource._name);
    const handler = (method: string, handle: EventHandler['handle']): EventHandler => ({ name: method, types: ['filesvc.File'], handle });
    const dispatcher = (...handlers: EventHandler[]) => new EventDispatcher(database.unitOfWork, database.inbox, handlers);
    const seen = () => database.recorded();
    const made = (file: string) => toCloudEvent(fileEvent('a', file), 3);

    it('does nothing when the same event comes again, also at the same time', async () => {
      const dispatch = dispatcher(handler('Files.count', record));
      const event = made('plan.ifc');
      await dispatch.dispatch(event);
      await dispatch.dispatch(event);
      const twin = made('twin');
      await Promise.all([dispatch.dispatch(twin), dispatch.dispatch(twin), dispatch.dispatch(twin)]);
      expect(await seen()).toEqual(['plan.ifc', 'twin']);
    });

    it('gives the handler the sequence and the resource', async () => {
      const events: ResourceEvent[] = [];
      await dispatcher(handler('Files.count', async (_tx, event) => void events.push(event))).dispatch(made('plan.ifc'));
      expect(events).toMatchObject([{ sequence: 3, key: 'a', event: 'resource.ResourceCreated', resource: { type: 'filesvc.File', _fileSize: 7 } }]);
    });

    it('undoes the mark with the work: a handler that failed gets the event again', async () => {
      let failures = 1;
      const dispatch = dispatcher(handler('Files.count', async (tx, event) => {
        await record(tx, event);
        if (failures-- > 0) throw new Error('half way');
      }));
      const event = made('plan.ifc');
      await expect(dispatch.dispatch(event)).rejects.toThrow('Files.count failed');
      expect(await seen()).toEqual([]);
      await dispatch.dispatch(event);
      expect(await seen()).toEqual(['plan.ifc']);
    });

    it('keeps the event from no handler because another one fails, and repeats only the failed one', async () => {
      let failures = 1;
      const dispatch = dispatcher(
        handler('Broken.first', async (tx, event) => {
          if (failures-- > 0) throw new Error('broken');
          await record(tx, event, 'late ');
        }),
        handler('Files.count', record),
      );
      const event = made('plan.ifc');
      await expect(dispatch.dispatch(event)).rejects.toThrow('Broken.first failed');
      expect(await seen()).toEqual(['plan.ifc']);
      await dispatch.dispatch(event);
      expect(await seen()).toEqual(['late plan.ifc', 'plan.ifc']);
    });

    it('passes over a type that it does not know, as a newer service may publish it', async () => {
      const event = made('plan.ifc');
      const unknown = { ...event, data: { ...event.data, resource: { ...event.data.resource, type: 'filesvc.Hologram' } } };
      await dispatcher(handler('Files.count', record)).dispatch(unknown as unknown as typeof event);
      expect(await seen()).toEqual([]);
    });

    it('does not blame an event for a lost database, and blames it for a lost peer', async () => {
      const peerLost = dispatcher(handler('Files.call', () => Promise.reject(REFUSED)));
      await expect(peerLost.dispatch(made('plan.ifc'))).rejects.not.toBeInstanceOf(TransientFailure);
      const databaseLost = new EventDispatcher(new LostDatabase(await database.lost()), database.inbox, [handler('Files.count', record)]);
      await expect(databaseLost.dispatch(made('plan.ifc'))).rejects.toBeInstanceOf(TransientFailure);
    });

    it('forgets what was handled long ago', async () => {
      const dispatch = dispatcher(handler('Files.count', record));
      await dispatch.dispatch(made('plan.ifc'));
      expect(await database.unitOfWork.run((tx) => database.inbox.prune(tx, new Date(Date.now() - 60_000)))).toBe(0);
      expect(await database.unitOfWork.run((tx) => database.inbox.prune(tx, new Date(Date.now() + 60_000)))).toBe(1);
    });

    describe('that take many at once', () => {
      const batches: string[][] = [];
      const together = (fails: (name: string) => boolean = () => false): EventHandler => {
        const handleAll: EventHandler['handleAll'] = async (tx, events) => {
          const names = events.map(({ resource }) => String(resource._name));
          batches.push(names);
          for (const event of events) await record(tx, event);
          if (names.some(fails)) throw new Error('half way');
        };
        return { ...handler('Files.note', (tx, event) => handleAll(tx, [event])), handleAll };
      };
      beforeEach(() => batches.splice(0));

      it('do so in one transaction, in their order, each event once, and leave the rest to the others', async () => {
        const dispatch = dispatcher(together(), handler('Files.count', (tx, event) => record(tx, event, 'single ')));
        const [one, two, three] = [made('one'), made('two'), made('three')] as const;
        await dispatch.dispatch(two);
        const receive = await dispatch.begin([three, two, one, three]);
        expect(await seen()).toEqual(['one', 'single two', 'three', 'two']);
        for (const event of [three, two, one, three]) await receive(event);
        await (await dispatch.begin([one, two, three]))(one);
        expect(await seen()).toEqual(['one', 'single one', 'single three', 'single two', 'three', 'two']);
        expect(batches).toEqual([['two'], ['three', 'one']]);
      });

      it('have done nothing when one of the events cannot be handled: it is found by itself, and the others pass', async () => {
        const dispatch = dispatcher(together((name) => name === 'bad'));
        const [good, bad, late] = [made('good'), made('bad'), made('late')] as const;
        const receive = await dispatch.begin([good, bad, late]);
        expect(await seen()).toEqual([]);
        await receive(good);
        await expect(receive(bad)).rejects.toThrow('Files.note failed');
        await receive(late);
        expect(await seen()).toEqual(['good', 'late']);
        expect(batches).toEqual([['good', 'bad', 'late'], ['good'], ['bad'], ['late']]);
      });

      it('share a batch that two members have got, each event once', async () => {
        const events = Array.from({ length: 20 }, (_, index) => made(`event ${index}`));
        const members = [dispatcher(together()), dispatcher(together()), dispatcher(together())];
        const receivers = await Promise.all(members.map((member, index) => member.begin(index === 1 ? events.toReversed() : events)));
        for (const receive of receivers) for (const event of events) await receive(event);
        expect((await seen()).toSorted()).toEqual(events.map((_, index) => `event ${index}`).toSorted());
      });

      it('leave an event that cannot be read to its own turn', async () => {
        const broken = made('broken');
        const unreadable = { ...broken, data: { ...broken.data, resource: { ...broken.data.resource, _fileSize: 'many' } } } as unknown as typeof broken;
        const receive = await dispatcher(together()).begin([made('one'), unreadable, made('two')]);
        expect(await seen()).toEqual(['one', 'two']);
        await expect(receive(unreadable)).rejects.toThrow();
      });
    });

    it('waits with a second delivery until the first has ended', async () => {
      const [hold, entered] = [gate(), gate()];
      const event = made('plan.ifc');
      const slow = dispatcher(handler('Files.count', async (tx, given) => {
        entered.open();
        await hold.opened;
        await record(tx, given, 'first ');
      })).dispatch(event);
      await entered.opened;
      const second = dispatcher(handler('Files.count', (tx, given) => record(tx, given, 'second '))).dispatch(event);
      hold.open();
      await Promise.all([slow, second]);
      expect(await seen()).toEqual(['first plan.ifc']);
    });
  });
}
