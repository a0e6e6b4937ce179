import { type DocumentTx, DocumentStore } from '@twinyard/documents';
import { FairShare } from '@twinyard/service-kit';
import { eventually, makeDoor } from '@twinyard/testing';
import fc from 'fast-check';
import { keyIdOf } from '../src/encryption/item-encryption';
import { CollectionWrites } from '../src/relateditems/collection-writes';
import { ITEMS } from '../src/storage/collections';
import { type Answer, ItemService, type Json, NS } from './item-service';

const ID = (n: number) => n.toString(16).padStart(24, '0');
const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** One request of somebody, about items that may be there or not. */
type Write =
  | { readonly kind: 'create'; readonly items: readonly Json[] }
  | { readonly kind: 'replace'; readonly id: string; readonly value: number }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'relate'; readonly id: string };

describe('small writes that come at once', () => {
  let items: ItemService;
  let item: Json;
  beforeAll(async () => { items = await ItemService.start(); });
  afterAll(() => items.stop());
  beforeEach(async () => { item = await items.item('NamedUserCollection'); });

  const placeOf = (of: Json) => ({ item: of, versionId: of._tipId as string }) as never;
  const path = (rest = '', of: Json = item) => `nameduseritems/${of._id}/relateditems${rest}`;
  const create = (body: unknown, of: Json = item, as = 'alice') => items.post(path('', of), body, { as });
  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
  const written = async (of: Json = item) => (await items.eventsOf(of._id as string)).filter(({ type }) => type === 'itemsvc.RelatedItems');

  /** Transactions that the store was asked for while the work was done. */
  async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
    const store = items.part(DocumentStore);
    const spy = jest.spyOn(store, 'transaction');
    try {
      await work();
      return spy.mock.calls.length;
    } finally {
      spy.mockRestore();
    }
  }

  it('share transactions, and each has its own answer and its own event', async () => {
    await items.passport.grant('bob', NS, ['READ', 'CREATE']);
    let answers: Answer[] = [];
    const transactions = await transactionsOf(async () => {
      answers = await Promise.all(Array.from({ length: 60 }, (_, n) => create([{ n }, { n, second: true }], item, n % 2 === 0 ? 'alice' : 'bob')));
    });
    expect(transactions).toBeLessThan(60);
    expect(new Set(statuses(answers))).toEqual(new Set([201]));
    for (const [n, { body }] of answers.entries()) {
      const made = { _guid: expect.any(String) as string, _metadata: expect.objectContaining({ _createdById: n % 2 === 0 ? 'alice' : 'bob' }) as Json, _id: expect.any(String) as string };
      expect(body).toMatchObject({ _total: 2, _pageSize: 2, _list: [{ n, ...made }, { n, second: true, ...made }] });
    }
    expect(await items.total(item)).toBe(120);
    const events = await written();
    expect(events.map(({ changed, _relatedItemsCount }) => [changed, _relatedItemsCount])).toEqual(Array.from({ length: 60 }, (_, n) => [2, 2 * (n + 1)]));
    expect(events.flatMap(({ ids }) => ids as string[]).sort()).toEqual(answers.flatMap(({ body }) => (body._list as Json[]).map(({ _id }) => _id as string)).sort());
    expect(events.at(-1)?._size).toBe((await items.kept(item)).reduce((sum, document) => sum + Buffer.byteLength(JSON.stringify(document)), await emptySize()));
  });

  /** What a version weighs in which there is nothing. */
  const emptySize = async (): Promise<number> => {
    const other = await items.item('NamedUserCollection');
    await create([{ n: 1 }], other);
    const [event] = await written(other);
    return (event?._size as number) - (await items.kept(other)).reduce((sum, document) => sum + Buffer.byteLength(JSON.stringify(document)), 0);
  };

  it('share the look-up of their collection with those who ask while it is read', async () => {
    const store = items.part(DocumentStore);
    const real = store.find.bind(store);
    const { door, open } = makeDoor();
    const find = jest.spyOn(store, 'find').mockImplementationOnce(async (...asked) => {
      await door;
      return real(...asked);
    });
    const [first, ...others] = Array.from({ length: 5 }, (_, n) => create([{ n }]));
    await eventually(() => expect(items.part(FairShare).running).toBe(5), { everyMs: 5 });
    open();
    expect(statuses(await Promise.all([first as Promise<Answer>, ...others]))).toEqual([201, 201, 201, 201, 201]);
    const looked = find.mock.calls.filter(([target]) => target === ITEMS).length;
    find.mockRestore();
    expect(looked).toBe(2);
  });

  it('a bad one is refused in its own words, and costs the others nothing', async () => {
    await items.post(`nameduseritems/${item._id}/indexes`, [{ key: { code: 1 }, options: { name: 'code', unique: true } }]);
    await create([{ _id: ID(1), code: 'taken' }]);
    const bodies = Array.from({ length: 30 }, (_, n): Json[] => {
      if (n % 10 === 3) return [{ code: 'taken' }];
      if (n % 10 === 5) return [{ _id: ID(1), code: 'other' }];
      if (n % 10 === 7) return [{ _id: ID(1), code: 'taken' }];
      return [{ code: `own ${n}` }];
    });
    const answers = await Promise.all(bodies.map((body) => create(body)));
    expect(statuses(answers)).toEqual(bodies.map((_body, n) => ({ 3: 409, 5: 400 })[n % 10] ?? 201));
    expect(answers[3]?.body.message).toContain(`the unique index "code" holds ["taken"] for the item ${ID(1)}`);
    expect(answers[5]?.body.message).toContain('is there with other content');
    expect(answers[7]?.body._list).toEqual([expect.objectContaining({ _id: ID(1), code: 'taken' })]);
    expect(await items.total(item)).toBe(1 + 21);
  });

  it('give nobody a right of another, whose request is beside theirs', async () => {
    await items.passport.grant('carol', NS, ['READ']);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create([{ n }], item, ['alice', 'carol', 'mallory'][n % 3])));
    expect(statuses(answers)).toEqual(Array.from({ length: 20 }, (_, n) => [201, 403, 404][n % 3]));
    expect(await items.total(item)).toBe(7);
  });

  it('change one item in the order in which they came', async () => {
    await create([{ _id: ID(1), n: -1 }]);
    const held = await holdFirst();
    const replaced = Array.from({ length: 12 }, (_, n) => n).reduce<Promise<Promise<Answer>[]>>(async (before, n) => {
      const sent = await before;
      const next = items.put(path(`/${ID(1)}`), { n });
      await held.waiting(n + 1);
      return [...sent, next];
    }, Promise.resolve([]));
    const sent = await replaced;
    held.open();
    expect(statuses(await Promise.all(sent))).toEqual(Array(12).fill(200));
    expect((await items.get(path(`/${ID(1)}`))).body.n).toBe(11);
    const log = (await items.get(`${path(`/${ID(1)}`)}/updatelogs`)).body._list as Json[];
    expect(log.filter(({ _action }) => _action === 'UPDATE').map(({ _changes }) => (_changes as Json[])[0]?._to as number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  /** The sizes of the groups that are committed while the work is done behind a first write. */
  async function groupsOf(bodies: readonly Json[]): Promise<{ readonly statuses: readonly number[]; readonly sizes: readonly number[] }> {
    const commits = jest.spyOn(items.part(CollectionWrites) as unknown as { commit(writes: readonly unknown[]): unknown }, 'commit');
    try {
      const held = await holdFirst();
      const sent = [create([{ first: true }])];
      await held.waiting(1);
      for (const [n, body] of bodies.entries()) {
        sent.push(create(body));
        await held.waiting(n + 2);
      }
      held.open();
      return { statuses: statuses(await Promise.all(sent)).slice(1), sizes: commits.mock.calls.slice(1).map(([writes]) => writes.length) };
    } finally {
      commits.mockRestore();
    }
  }

  it('are done again by halves when one of them breaks a unique index', async () => {
    await items.post(`nameduseritems/${item._id}/indexes`, [{ key: { code: 1 }, options: { name: 'code', unique: true } }]);
    await create([{ code: 'taken' }]);
    const { statuses: ended, sizes } = await groupsOf(Array.from({ length: 32 }, (_, n) => [{ code: n === 20 ? 'taken' : `own ${n}` }]));
    expect(ended).toEqual(Array.from({ length: 32 }, (_, n) => (n === 20 ? 409 : 201)));
    expect(sizes).toEqual([32, 16, 16, 8, 4, 4, 2, 1, 1, 2, 8]);
  });

  it('have a transaction of their own where they make many relations, or lead to many collections', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => items.item('NamedUserCollection')));
    const related = await Promise.all(others.map((other) => items.related(other, Array.from({ length: 101 }, (_, n) => ({ n })))));
    const to = (index: number, count: number) => ({ _relatedUserItemDbId: others[index]?._id as string, _relatedToIds: related[index]?.slice(0, count).map(({ _id }) => _id as string) });
    const few = [{ n: 1, _relationships: [to(0, 1)] }];
    const many = [{ n: 1, _relationships: [to(0, 101)] }];
    const wide = [{ n: 1, _relationships: [0, 1, 2, 3, 4].map((index) => to(index, 1)) }];
    const { statuses: ended, sizes } = await groupsOf([few, few, many, few, few, wide, few]);
    expect([new Set(ended), sizes]).toEqual([new Set([201]), [2, 1, 2, 1, 1]]);
  });

  it('are gathered with those alone that seal under the same key', async () => {
    const moved = 'ns3_12345678';
    await items.passport.grant('alice', moved, ['*']);
    const secrets = await items.item('NamedUserCollection', { _encryptionEnabled: true });
    const seal = (pin: string, nsfilter: string) => items.post(path('', secrets), [{ '.pin': pin }], { nsfilter });
    const store = items.part(DocumentStore);
    const real = store.transaction.bind(store) as DocumentStore['transaction'];
    const { door, open } = makeDoor();
    const spy = jest.spyOn(store, 'transaction').mockImplementationOnce(async <T>(work: (tx: DocumentTx) => Promise<T>) => {
      await door;
      return real(work);
    });
    const before = [seal('a', NS), seal('b', NS)];
    await eventually(() => expect([items.part(CollectionWrites).pending(placeOf(secrets)), spy.mock.calls.length]).toEqual([2, 1]), { everyMs: 5 });
    expect((await items.put(`nameduseritems/${secrets._id}`, { ...secrets, _namespaces: [moved] }, { nsfilter: [NS, moved] })).status).toBe(204);
    expect((await seal('c', moved)).status).toBe(201);
    const [sealed] = await items.kept(secrets);
    expect([keyIdOf(sealed?.['.pin'])]).toEqual((await items.keysOf(moved)).map(({ id }) => id));
    open();
    spy.mockRestore();
    expect(statuses(await Promise.all(before))).toEqual([201, 201]);
  });

  it('readings, one a request, share transactions; those of unknown sensors are refused alone', async () => {
    const sensors = await items.item('NamedTelemetryCollection', { _tsProperties: { _granularity: 'hours' } });
    const [sensor] = await items.related(sensors, [{ _sourceId: 's1' }]);
    const reading = (n: number) => [{ _ts: at(n), _tsMetadata: { _telItemId: n % 10 === 9 ? ID(9) : sensor?._id, _sourceId: 's1' }, value: n }];
    let answers: Answer[] = [];
    const transactions = await transactionsOf(async () => {
      answers = await Promise.all(Array.from({ length: 60 }, (_, n) => items.post(path('/readings', sensors), reading(n % 50))));
    });
    expect(transactions).toBeLessThan(60);
    expect(statuses(answers)).toEqual(Array.from({ length: 60 }, (_, n) => ((n % 50) % 10 === 9 ? 400 : 204)));
    expect(answers[9]?.body.details).toEqual([{ field: '[0]._tsMetadata._telItemId', issue: `there is no telemetry item ${ID(9)}` }]);
    const { body } = await items.get(path('/readings', sensors), { query: { _pageSize: '100' } });
    expect((body._list as Json[]).map(({ value }) => value as number)).toEqual(Array.from({ length: 50 }, (_, n) => n).filter((n) => n % 10 !== 9));
    const events = (await items.eventsOf(sensors._id as string)).filter(({ type }) => type === 'itemsvc.Readings');
    expect([events.length, events.at(-1)?._readingsCount]).toEqual([54, 45]);
  });

  /** Keeps the first transaction waiting, and tells how many writes have come to the queue behind it. */
  async function holdFirst() {
    const store = items.part(DocumentStore);
    const real = store.transaction.bind(store) as DocumentStore['transaction'];
    const { door, open } = makeDoor();
    const spy = jest.spyOn(store, 'transaction').mockImplementation(async <T>(work: (tx: DocumentTx) => Promise<T>) => {
      await door;
      return real(work);
    });
    const queue = items.part(CollectionWrites);
    return {
      waiting: (count: number, of: Json = item) => eventually(() => expect(queue.pending(placeOf(of))).toBe(count), { everyMs: 5 }),
      open: () => {
        spy.mockRestore();
        open();
      },
    };
  }

  it('wait for a transaction without a place of their own, but for who leads it: more come to it than there are places, and reads go on', async () => {
    const sensors = await items.item('NamedTelemetryCollection', { _tsProperties: { _granularity: 'hours' } });
    const [sensor] = await items.related(sensors, [{ _sourceId: 's1' }]);
    await create(Array.from({ length: 10 }, (_, n) => ({ _id: ID(n + 1) })));
    const held = await holdFirst();
    const forms: readonly ((n: number) => Promise<Answer>)[] = [
      (n) => create([{ n }]), (n) => send(item, { kind: 'replace', id: ID(n + 1), value: n }), (n) => send(item, { kind: 'relate', id: ID(n + 1) }),
      (n) => items.delete(path(`/${ID(20 + n)}`)), (n) => items.delete(path(), { body: [ID(20 + n)] }),
    ];
    const sent = forms.flatMap((form) => Array.from({ length: 8 }, (_, n) => form(n)));
    const readings = Array.from({ length: 10 }, (_, n) => items.post(path('/readings', sensors), [{ _ts: at(n), _tsMetadata: { _telItemId: sensor?._id, _sourceId: 's1' }, value: n }]));
    await held.waiting(sent.length);
    await held.waiting(readings.length, sensors);
    expect((await items.get(path(`/${ID(1)}`))).status).toBe(200);
    held.open();
    expect(new Set(statuses(await Promise.all([...sent, ...readings])))).toEqual(new Set([201, 204, 200, 404]));
    expect(await items.total(item)).toBe(18);
  });

  const value = fc.integer({ min: 0, max: 3 });
  const known = fc.integer({ min: 1, max: 12 }).map(ID);
  const write: fc.Arbitrary<Write> = fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.record({ value }), { minLength: 1, maxLength: 3 }).map((made): Write => ({ kind: 'create', items: made })) },
    { weight: 1, arbitrary: value.map((own): Write => ({ kind: 'create', items: [{ _id: ID(1), value: own }] })) },
    { weight: 1, arbitrary: value.map((own): Write => ({ kind: 'create', items: [{ value: own, $bad: 1 }] })) },
    { weight: 2, arbitrary: fc.tuple(known, value).map(([id, own]): Write => ({ kind: 'replace', id, value: own })) },
    { weight: 1, arbitrary: known.map((id): Write => ({ kind: 'remove', id })) },
    { weight: 1, arbitrary: known.map((id): Write => ({ kind: 'relate', id })) },
  );

  const send = (of: Json, asked: Write): Promise<Answer> => {
    if (asked.kind === 'create') return create(asked.items, of);
    if (asked.kind === 'replace') return items.put(path(`/${asked.id}`, of), { value: asked.value });
    if (asked.kind === 'remove') return items.delete(path(`/${asked.id}`, of));
    return items.put(`nameduseritems/${of._id}/relationships`, [{ _relatedFromId: asked.id, _relatedToIds: [ID(2)], _relatedUserItemDbId: of._id }]);
  };

  /** All that is there to be seen of a collection, without what differs with time and chance. */
  async function seen(of: Json): Promise<Json> {
    const { body } = await items.get(path('', of), { query: { _pageSize: '1000', sort: { value: 1, _id: 1 } } });
    const relations = await items.get(`nameduseritems/${of._id}/relationships`);
    const events = await written(of);
    const list = body._list as Json[];
    const isKnown = ({ _id }: Json) => parseInt(_id as string, 16) <= 12;
    return {
      known: list.filter(isKnown).map(({ _id, value: own }) => [_id, own]), others: list.filter((each) => !isKnown(each)).map(({ value: own }) => own as number),
      relations: (relations.body._list as Json[]).map(({ _relatedFromId }) => _relatedFromId as string).sort(),
      last: [events.at(-1)?._relatedItemsCount, events.at(-1)?._size], changed: events.map(({ changed }) => changed as number).reduce((sum, each) => sum + each, 0), events: events.length,
    };
  }

  it('come to what they come to one after the other: answers, items, relations, counters and events', async () => {
    await fc.assert(fc.asyncProperty(fc.array(write, { minLength: 2, maxLength: 25 }), async (writes) => {
      const [together, alone] = await Promise.all([items.item('NamedUserCollection'), items.item('NamedUserCollection')]);
      for (const each of [together, alone]) await create(Array.from({ length: 8 }, (_, n) => ({ _id: ID(n + 1), value: 0 })), each);
      item = together;
      const held = await holdFirst();
      const sent: Promise<Answer>[] = [];
      for (const asked of writes) {
        const before = items.part(CollectionWrites).pending(placeOf(together));
        const answer = send(together, asked);
        sent.push(answer);
        await Promise.race([held.waiting(before + 1), answer]);
      }
      held.open();
      const gathered = statuses(await Promise.all(sent));
      const single: number[] = [];
      for (const asked of writes) single.push((await send(alone, asked)).status);
      expect(gathered).toEqual(single);
      expect(await seen(together)).toEqual(await seen(alone));
    }), { numRuns: 12 });
  });
});
