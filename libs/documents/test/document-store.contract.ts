import { documentsIn, type FindQuery, systemCollection, type TargetedQuery, versionOf, type DocumentStore, type StoredDocument } from '../src';
import { describeFilterMeaning } from './filter.contract';
import { describeIndexedValues } from './indexed-values.contract';
import { describeLargeDocuments } from './large-documents.contract';
import { describeSnapshots } from './snapshots.contract';

/** Every adapter passes this. `makeStore` opens a store on an empty database; `close` gives it back. */
export type MakeStore = () => Promise<{ readonly store: DocumentStore; readonly close: () => Promise<void> }>;

export function describeDocumentStore(name: string, makeStore: MakeStore): void {
  describe(`DocumentStore: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    let serial = 0;
    beforeAll(async () => {
      ({ store, close } = await makeStore());
    });
    afterAll(() => close?.());

    /** A new collection that holds the documents in its first version. */
    const holding = async (documents: readonly StoredDocument[]) => {
      const target = versionOf(`c${(serial += 1)}`, 'v1');
      await store.createCollection(target.name);
      await store.transaction((tx) => store.insertMany(tx, target, documents));
      return target;
    };
    const idsOf = (documents: readonly StoredDocument[]) => documents.map((document) => document._id);
    const all = { limit: 100 };

    it('keeps versions of a collection apart, also where they hold the same ids', async () => {
      const first = await holding([{ _id: 'a', n: 1 }]);
      const second = versionOf(first.name, 'v2');
      await store.transaction((tx) => store.insertMany(tx, second, [{ _id: 'a', n: 2 }]));
      await store.transaction((tx) => store.deleteMany(tx, second, {}));
      expect(await store.find(first, all)).toEqual([{ _id: 'a', n: 1 }]);
      expect(await store.count(second, {})).toBe(0);
    });

    it('serves system collections by the same means', async () => {
      const target = systemCollection('relations');
      await store.createCollection('relations', { indexes: [{ key: { from: 1 }, options: { name: 'from' } }, { key: { to: 1 }, options: { name: 'to' } }] });
      await store.transaction((tx) => store.insertMany(tx, target, [{ _id: 'r1', from: 'a', to: 'b' }, { _id: 'r2', from: 'c', to: 'a' }]));
      expect(idsOf(await store.find(target, { filter: { to: { $in: ['a', 'x'] } }, ...all }))).toEqual(['r2']);
    });

    it('rolls back everything when the work fails', async () => {
      const target = await holding([{ _id: 'a' }]);
      const work = store.transaction(async (tx) => {
        await store.insertMany(tx, target, [{ _id: 'b' }]);
        throw new Error('stop');
      });
      await expect(work).rejects.toThrow('stop');
      expect(await store.count(target, {})).toBe(1);
    });

    it('shows a transaction its own writes, and others nothing before the commit', async () => {
      const target = await holding([]);
      await store.transaction(async (tx) => {
        await store.insertMany(tx, target, [{ _id: 'a', t: 'x' }]);
        expect(await store.count(target, {}, tx)).toBe(1);
        expect(await store.count(target, { t: { $regex: 'x' } }, tx)).toBe(1);
        expect(await store.count(target, {})).toBe(0);
      });
    });

    it('refuses a second document of an id and writes nothing of the request', async () => {
      const target = await holding([{ _id: 'a' }]);
      const work = store.transaction((tx) => store.insertMany(tx, target, [{ _id: 'b' }, { _id: 'a' }]));
      await expect(work).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('"a"') as string });
      expect(await store.count(target, {})).toBe(1);
    });

    it.each([1, 49, 50, 2_000])('writes %d at once as they are given, and tells what it wrote', async (count) => {
      const documents = Array.from({ length: count }, (_, n) => ({ _id: `ä${n}`, n: n / 4, odd: '"\\\n\u2028 grün 木 😀', long: 'ö'.repeat(n % 50 === 0 ? 70_000 : 3), deep: [{ a: [null, true] }] }));
      const target = await holding([]);
      const written = await store.transaction((tx) => store.insertMany(tx, target, documents));
      expect(written).toMatchObject({ count, bytes: documents.reduce((sum, document) => sum + Buffer.byteLength(JSON.stringify(document)), 0) });
      expect(documentsIn(written.list.toString())).toEqual(documents);
      expect(await store.find(target, { limit: count })).toEqual(documents);
    });

    it('refuses many for one that is there, and goes on in the same connection', async () => {
      const target = await holding([{ _id: 'a' }]);
      const many = Array.from({ length: 100 }, (_, n) => ({ _id: `b${n}` }));
      const work = store.transaction((tx) => store.insertMany(tx, target, [...many, { _id: 'a' }]));
      await expect(work).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('"a"') as string });
      expect(idsOf(await store.find(target, all))).toEqual(['a']);
      for (let round = 0; round < 12; round += 1) await store.transaction((tx) => store.insertMany(tx, versionOf(target.name, `v${round}`), many));
      expect(await store.count(versionOf(target.name, 'v11'), {})).toBe(100);
    });

    it('counts documents and the bytes of their JSON, so that what is removed is what was added', async () => {
      const documents = [{ _id: 'a', text: 'grün' }, { _id: 'b', list: [1, 2.5, 1e21] }];
      const bytes = documents.map((document) => Buffer.byteLength(JSON.stringify(document)));
      const target = await holding([]);
      expect(await store.transaction((tx) => store.insertMany(tx, target, documents))).toEqual({
        count: 2, bytes: (bytes[0] ?? 0) + (bytes[1] ?? 0), list: Buffer.from(documents.map((document) => JSON.stringify(document)).join(',')), sizes: bytes,
      });
      const replaced = await store.transaction((tx) => store.replaceMany(tx, target, [{ _id: 'a' }, { _id: 'gone' }]));
      expect(replaced).toEqual({ count: 1, bytes: 11, replacedBytes: bytes[0], missing: ['gone'] });
      expect(await store.transaction((tx) => store.deleteMany(tx, target, {}))).toEqual({ count: 2, bytes: 11 + (bytes[1] ?? 0) });
    });

    it('answers in the order of creation, which a replacement does not change', async () => {
      const target = await holding([{ _id: 'z' }, { _id: 'a' }, { _id: 'm' }]);
      await store.transaction((tx) => store.replaceMany(tx, target, [{ _id: 'z', n: 1 }]));
      expect(idsOf(await store.find(target, all))).toEqual(['z', 'a', 'm']);
      expect(idsOf(await store.find(target, { skip: 1, limit: 1 }))).toEqual(['a']);
    });

    it('sorts by BSON order of types, arrays by their least or greatest element, ties by _id', async () => {
      const values: [string, unknown][] = [['text', 'a'], ['true', true], ['false', false], ['two', 2], ['object', { a: 1 }], ['null', null], ['upper', 'B'], ['list', [5, 1]], ['empty', []], ['accent', 'é'], ['minus', -1.5], ['tie', 2]];
      const target = await holding([...values.map(([_id, v]) => ({ _id, v })), { _id: 'missing' }]);
      expect(idsOf(await store.find(target, { sort: { v: 1 }, ...all }))).toEqual(['empty', 'missing', 'null', 'minus', 'list', 'tie', 'two', 'upper', 'text', 'accent', 'object', 'false', 'true']);
      expect(idsOf(await store.find(target, { sort: { v: -1 }, ...all }))).toEqual(['true', 'false', 'object', 'accent', 'text', 'upper', 'list', 'tie', 'two', 'minus', 'missing', 'null', 'empty']);
      const ids = idsOf(await store.find(target, { sort: { v: 1, _id: -1, no: 1 }, ...all }));
      expect(ids.slice(4, 7)).toEqual(['list', 'two', 'tie']);
      expect(idsOf(await store.find(target, { sort: { _id: -1, v: 1 }, ...all }))).toEqual([...ids].sort().reverse());
    });

    it('projects by inclusion or exclusion, dotted, through arrays', async () => {
      const target = await holding([{ _id: 'a', n: 1, o: { b: 1, c: 2 }, r: [{ b: 1, c: 2 }, 3, { c: 4 }] }]);
      const project = async (projection: Record<string, unknown>) => (await store.find(target, { projection, ...all }))[0];
      expect(await project({ 'o.b': 1, 'r.c': 1 })).toEqual({ _id: 'a', o: { b: 1 }, r: [{ c: 2 }, { c: 4 }] });
      expect(await project({ 'o.b': 0, 'r.c': 0, _id: 0 })).toEqual({ n: 1, o: { c: 2 }, r: [{ b: 1 }, 3, {}] });
      expect(await project({ _id: 1 })).toEqual({ _id: 'a' });
      await expect(project({ n: 1, o: 0 })).rejects.toMatchObject({ code: 'invalid' });
    });

    it('gives the distinct values in order with how many documents hold each', async () => {
      const target = await holding([{ _id: 'a', t: ['x', 'y'] }, { _id: 'b', t: 'x' }, { _id: 'c', t: 2 }, { _id: 'd' }, { _id: 'e', t: [] }]);
      expect(await store.distinct(target, { path: 't', limit: 10 })).toEqual([{ value: 2, count: 1 }, { value: 'x', count: 2 }, { value: 'y', count: 1 }]);
      const deep = await holding([{ _id: 'a', t: [{ u: 1 }, { u: [2, 3, 2] }] }, { _id: 'b', t: { u: 2 } }, { _id: 'c', t: { u: null } }, { _id: 'd', t: { u: [[1], []] } }, { _id: 'e', t: { u: { w: 1 } } }, { _id: 'f', t: 1 }]);
      expect(await store.distinct(deep, { path: 't.u', filter: { _id: { $ne: 'd' } }, limit: 10 })).toEqual([{ value: null, count: 1 }, { value: 1, count: 1 }, { value: 2, count: 2 }, { value: 3, count: 1 }, { value: { w: 1 }, count: 1 }]);
      expect(await store.distinct(deep, { path: 't.0.u', limit: 10 })).toEqual([{ value: 1, count: 1 }]);
    });

    it('makes and drops collections as often as asked', async () => {
      await store.createCollection('twice');
      await store.createCollection('twice');
      await store.dropCollection('twice');
      await store.dropCollection('twice');
      await store.createCollection('twice');
      expect(await store.count(versionOf('twice', 'v'), {})).toBe(0);
      await expect(store.createCollection('no"; drop table x')).rejects.toMatchObject({ status: 400 });
    });

    it('lists, holds and drops indexes; a unique one holds within a version', async () => {
      const target = await holding([{ _id: 'a', s: 1 }]);
      const index = { key: { s: 1 as const }, options: { name: "it's \"s\"", unique: true } };
      await store.createIndex(target.name, index);
      await store.createIndex(target.name, index);
      expect(await store.listIndexes(target.name)).toEqual([index]);
      await expect(store.createIndex(target.name, { ...index, key: { t: 1 } })).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.createIndex(target.name, { ...index, options: { name: index.options.name } })).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.transaction((tx) => store.insertMany(tx, target, [{ _id: 'b', s: 1 }]))).rejects.toMatchObject({ code: 'conflict' });
      await store.transaction((tx) => store.insertMany(tx, versionOf(target.name, 'v2'), [{ _id: 'b', s: 1 }]));
      const compound = { key: { z: 1, a: -1, m: 1 } as const, options: { name: 'three' } };
      await store.createIndex(target.name, compound);
      expect(Object.keys((await store.listIndexes(target.name))[1]?.key ?? {})).toEqual(['z', 'a', 'm']);
      expect(await store.dropIndex(target.name, index.options.name)).toBe(true);
      expect(await store.dropIndex(target.name, index.options.name)).toBe(false);
    });

    it('takes null and a missing field for one value of a unique index', async () => {
      const target = await holding([{ _id: 'a', s: null }, { _id: 'm', x: 1 }]);
      const insert = (...documents: readonly StoredDocument[]) => store.transaction((tx) => store.insertMany(tx, target, documents));
      const once = { key: { s: 1 }, options: { name: 'once', unique: true } } as const;
      await expect(store.createIndex(target.name, once)).rejects.toMatchObject({ code: 'conflict' });
      await store.transaction((tx) => store.deleteMany(tx, target, { _id: 'm' }));
      await store.createIndex(target.name, once);
      await expect(insert({ _id: 'b' })).rejects.toMatchObject({ code: 'conflict' });
      await insert({ _id: 'c', s: 0, x: 9 });
      await store.transaction((tx) => store.replaceMany(tx, target, [{ _id: 'a', t: 1 }]));
      await expect(insert({ _id: 'b', s: null })).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.dropIndex(target.name, 'once')).toBe(true);
      await store.createIndex(target.name, { key: { x: 1, y: -1 }, options: { name: 'both', unique: true } });
      await insert({ _id: 'd', x: 1, y: null }, { _id: 'e', x: null, y: 1 }, { _id: 'f', x: 2 });
      await expect(insert({ _id: 'g', x: 1 })).rejects.toMatchObject({ code: 'conflict' });
      await expect(insert({ _id: 'g', y: 1 })).rejects.toMatchObject({ code: 'conflict' });
      await insert({ _id: 'g', x: 2, y: 1 });
      expect(idsOf(await store.find(target, { filter: { s: null }, sort: { _id: 1 }, ...all }))).toEqual(['a', 'd', 'e', 'f', 'g']);
    });

    it('lets documents exchange the values of a unique index, in their places, and no other come between', async () => {
      const target = await holding([{ _id: 'z', s: 1 }, { _id: 'a', s: 2 }, { _id: 'm', s: 3 }]);
      await store.createIndex(target.name, { key: { s: 1 }, options: { name: 'once', unique: true } });
      const replaceMany = (documents: readonly StoredDocument[]) => store.transaction((tx) => store.replaceMany(tx, target, documents));
      expect(await replaceMany([{ _id: 'a', s: 1 }, { _id: 'gone', s: 9 }, { _id: 'z', s: 22 }])).toEqual({ count: 2, bytes: 35, replacedBytes: 34, missing: ['gone'] });
      await expect(replaceMany([{ _id: 'a', s: 22 }, { _id: 'z', s: 3 }])).rejects.toMatchObject({ code: 'conflict' });
      await expect(replaceMany([{ _id: 'a', s: 5 }, { _id: 'z', s: 5 }])).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.find(target, all)).toEqual([{ _id: 'z', s: 22 }, { _id: 'a', s: 1 }, { _id: 'm', s: 3 }]);
    });

    it('answers with an index as without, whatever the values are', async () => {
      const values = [1, '1', true, null, [1], [[1]], [], {}, { b: 1 }, { b: [1, 2] }, [{ b: 1 }, { b: '1' }], [{ b: null }], { b: { c: 1 } }, { 0: 1 }, [0, 1], 'x'];
      const documents = [{ _id: 'none' }, ...values.map((a, n) => ({ _id: `d${n}`, a }))];
      const [plain, indexed] = [await holding(documents), await holding(documents)];
      for (const path of ['a', 'a.b', 'a.0']) await store.createIndex(indexed.name, { key: { [path]: 1 }, options: { name: path.replace('.', '_') } });
      const operands = [1, '1', true, null, { $in: [1, 'x'] }, { $in: [null, true] }, { $in: [[1], 1] }, { $in: [] }, { $in: Array.from({ length: 40 }, (_, n) => n) }, { $gt: 0 }, { $gte: 1, $lt: 3 }, { $not: { $eq: 1 } }];
      const filters = ['a', 'a.b', 'a.0'].flatMap((path) => operands.flatMap((operand) => [{ [path]: operand }, { $or: [{ [path]: operand }, { _id: 'none' }] }]));
      for (const filter of filters) expect([filter, idsOf(await store.find(indexed, { filter, ...all }))]).toEqual([filter, idsOf(await store.find(plain, { filter, ...all }))]);
    });

    it('finds words through a text index and says when there is none', async () => {
      const target = await holding([{ _id: 'a', t: 'Pumps and valves', o: [{ d: 'old' }] }, { _id: 'b', t: 'a valve' }, { _id: 'c', t: 'fan' }]);
      const search = async ($search: string) => idsOf(await store.find(target, { filter: { $text: { $search } }, ...all }));
      await expect(search('pump')).rejects.toMatchObject({ code: 'invalid', message: '$text needs a text index' });
      await store.createIndex(target.name, { key: { t: 'text', 'o.d': 'text' }, options: { name: 'words' } });
      expect(await search('pump fan')).toEqual(['a', 'c']);
      expect(await search('valve -pump')).toEqual(['b']);
      expect(await search('"pumps and valves"')).toEqual(['a']);
      expect(await search('old')).toEqual(['a']);
      expect(await search("'; drop table x; --")).toEqual([]);
    });

    it('gives a page as text with what matches in all, and what lies beside it', async () => {
      const target = await holding([...'abcdefg'].map((_id, n) => ({ _id, n, name: `"${n}",\u2028 ä` })));
      const other = await holding([{ _id: 'x', n: 9 }, { _id: 'y', n: 8 }]);
      const page = async (query: Partial<FindQuery>, beside?: TargetedQuery) => {
        const { list, ...rest } = await store.page({ target, limit: 3, ...query }, beside);
        return { ...rest, ids: idsOf(documentsIn(list)) };
      };
      expect(documentsIn((await store.page({ target, limit: 1 })).list)).toEqual([{ _id: 'a', n: 0, name: '"0",\u2028 ä' }]);
      expect(await page({ sort: { n: -1 }, filter: { n: { $gt: 1 } } })).toEqual({ ids: ['g', 'f', 'e'], count: 3, total: 5, beside: [] });
      expect(await page({ skip: 6 })).toEqual({ ids: ['g'], count: 1, total: 7, beside: [] });
      expect(await page({ skip: 7 })).toEqual({ ids: [], count: 0, total: 7, beside: [] });
      expect(await page({ filter: { n: 5 }, skip: 1 })).toEqual({ ids: [], count: 0, total: 1, beside: [] });
      expect(await page({ limit: 0 })).toEqual({ ids: [], count: 0, total: 7, beside: [] });
      expect(await page({ filter: { _id: 'c' } })).toEqual({ ids: ['c'], count: 1, total: 1, beside: [] });
      expect(await page({ filter: { _id: 'c', n: 3 } })).toEqual({ ids: [], count: 0, total: 0, beside: [] });
      expect(await page({ filter: { _id: 'c' }, sort: { n: -1, name: 1 } })).toEqual({ ids: ['c'], count: 1, total: 1, beside: [] });
      await expect(page({ filter: { _id: 'c' }, sort: { n: 5 } })).rejects.toMatchObject({ code: 'invalid' });
      expect(await page({ filter: { _id: 'c' }, skip: 1 })).toEqual({ ids: [], count: 0, total: 1, beside: [] });
      expect(await page({ filter: { _id: 'c' }, limit: 0 })).toEqual({ ids: [], count: 0, total: 1, beside: [] });
      expect(await page({ filter: { $and: [{ _id: 'c' }, { _id: 'd' }] } }, { target: other, filter: { _id: 'x', n: { $gt: 8 } }, limit: 1 })).toEqual({ ids: [], count: 0, total: 0, beside: [{ _id: 'x', n: 9 }] });
      expect(await page({ filter: { n: 100 } })).toEqual({ ids: [], count: 0, total: 0, beside: [] });
      expect(await page({ filter: { name: { $regex: '[36]' } } })).toMatchObject({ ids: ['d', 'g'], total: 2 });
      expect(await page({ filter: { n: 2 } }, { target: other, filter: { n: { $gt: 8 } }, limit: 5 })).toEqual({ ids: ['c'], count: 1, total: 1, beside: [{ _id: 'x', n: 9 }] });
      expect(documentsIn((await store.page({ target, limit: 1, projection: { n: 1, _id: 0 } })).list)).toEqual([{ n: 0 }]);
    });

    it('runs a pipeline', async () => {
      const target = await holding([{ _id: 'a', k: 'x', n: 1 }, { _id: 'b', k: 'x', n: 3 }, { _id: 'c', k: 'y', n: 5 }]);
      const pipeline = [{ $match: { n: { $lt: 5 } } }, { $group: { _id: '$k', mean: { $avg: '$n' }, many: { $count: {} } } }];
      expect(await store.aggregate(target, pipeline)).toEqual([{ _id: 'x', mean: 2, many: 2 }]);
    });

    for (const describeMore of [describeFilterMeaning, describeLargeDocuments, describeIndexedValues, describeSnapshots]) describeMore(holding, () => store);
  });
}
