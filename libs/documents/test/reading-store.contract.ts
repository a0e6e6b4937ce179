import fc from 'fast-check';
import { versionOf, type DocumentStore, type Reading } from '../src';
import type { MakeStore } from './document-store.contract';

async function inTurn<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const each of all) done.push(await work(each));
  return done;
}

export function describeReadingStore(name: string, makeStore: MakeStore): void {
  describe(`ReadingStore: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    const target = versionOf('sensors', 'v1');
    const reading = (item: string, ts: string, temp: unknown): Reading => ({ _ts: ts, _tsMetadata: { _telItemId: item, _sourceId: `s-${item}` }, temp });
    const batch = [reading('a', '2026-01-31T13:00:00+01:00', 1), reading('a', '2026-01-31T12:30:00Z', 3), reading('b', '2026-02-01T00:00:00.5Z', 10)];
    const put = (readings: readonly Reading[]) => store.transaction((tx) => store.readings.upsertMany(tx, target, readings));
    beforeAll(async () => {
      ({ store, close } = await makeStore());
      await store.createCollection(target.name);
    });
    afterAll(() => close?.());
    beforeEach(async () => {
      await store.transaction((tx) => store.readings.deleteMany(tx, target, {}));
      await put(batch);
    });
    const tempsOf = async (filter: Record<string, unknown>) => (await store.readings.find(target, { filter, limit: 10 })).map((row) => row['temp']);

    it('gives instants back in UTC with milliseconds, oldest first', async () => {
      const found = await store.readings.find(target, { limit: 10 });
      expect(found.map((row) => row._ts)).toEqual(['2026-01-31T12:00:00.000Z', '2026-01-31T12:30:00.000Z', '2026-02-01T00:00:00.500Z']);
    });

    it('streams what matches, oldest first', async () => {
      const snapshot = await store.snapshot();
      const found: Reading[] = [];
      for await (const part of snapshot.readings(target, { filter: { _ts: { $gte: '2026-01-31T12:30:00Z' } }, projection: { temp: 1, _ts: 1 } })) found.push(...part);
      const texts: string[] = [];
      for await (const part of snapshot.readingTexts(target, { filter: { _ts: { $gte: '2026-01-31T12:30:00Z' } } })) texts.push(...part);
      await snapshot.close();
      expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual(await store.readings.find(target, { filter: { _ts: { $gte: '2026-01-31T12:30:00Z' } }, limit: 10 }));
      expect(found.map(({ _ts, temp }) => [_ts, temp])).toEqual([['2026-01-31T12:30:00.000Z', 3], ['2026-02-01T00:00:00.500Z', 10]]);
    });

    it('changes nothing when a batch is sent twice, and replaces by item and instant', async () => {
      const before = await store.readings.stats(target);
      expect(await put(batch)).toEqual({ inserted: 0, replaced: 3, bytesDelta: 0 });
      expect(await put([reading('a', '2026-01-31T12:00:00Z', 12345)])).toEqual({ inserted: 0, replaced: 1, bytesDelta: 4 });
      expect(await store.readings.stats(target)).toEqual({ count: 3, bytes: before.bytes + 4 });
    });

    it('takes the last of two readings of one instant in a batch', async () => {
      expect(await put([reading('c', '2026-03-01T00:00:00Z', 1), reading('c', '2026-03-01T01:00:00+01:00', 2)])).toMatchObject({ inserted: 1 });
      expect(await tempsOf({ '_tsMetadata._telItemId': 'c' })).toEqual([2]);
    });

    it('takes groups as if each came in turn, with what each did', async () => {
      const groups = [[reading('c', '2026-03-01T00:00:00Z', 1), reading('a', '2026-01-31T12:00:00Z', 12345)], [], [reading('c', '2026-03-01T00:00:01Z', 1)]];
      const putGroups = () => store.transaction((tx) => store.readings.upsertGroups(tx, target, groups));
      expect(await putGroups()).toEqual([{ inserted: 1, replaced: 1, bytesDelta: expect.any(Number) as number }, { inserted: 0, replaced: 0, bytesDelta: 0 }, { inserted: 1, replaced: 0, bytesDelta: expect.any(Number) as number }]);
      expect((await putGroups()).map(({ replaced }) => replaced)).toEqual([2, 0, 1]);
    });

    it('tells the same of groups and of batches that come one after the other', async () => {
      const at = fc.integer({ min: 0, max: 3 }).map((second) => `2026-04-01T00:00:0${second}Z`);
      const one = fc.tuple(fc.constantFrom('x', 'y'), at, fc.integer({ max: 1_000_000 })).map(([item, ts, temp]) => reading(item, ts, temp));
      await fc.assert(fc.asyncProperty(fc.array(fc.array(one, { maxLength: 3 }), { maxLength: 4 }), async (groups) => {
        const empty = () => store.transaction((tx) => store.readings.deleteMany(tx, target, {}));
        const all = () => store.readings.find(target, { limit: 100 });
        await empty();
        const inGroups = await store.transaction((tx) => store.readings.upsertGroups(tx, target, groups));
        const left = await all();
        await empty();
        expect(await inTurn(groups, put)).toEqual(inGroups);
        expect(await all()).toEqual(left);
      }), { numRuns: 20 });
    });

    it('compares ISO text beside _ts as a date', async () => {
      expect(await tempsOf({ _ts: { $gte: '2026-01-31T13:30:00+01:00' } })).toEqual([3, 10]);
      expect(await tempsOf({ _ts: { $lt: '2026-02-01' } })).toEqual([1, 3]);
      expect(await tempsOf({ _ts: '2026-01-31T12:00:00Z' })).toEqual([1]);
      expect(await tempsOf({ $nor: [{ _ts: { $in: ['2026-01-31T12:00:00Z'] } }] })).toEqual([3, 10]);
      expect(await tempsOf({ _ts: { $type: 'date' }, '_tsMetadata._telItemId': { $in: ['b'] } })).toEqual([10]);
      expect(await tempsOf({ _ts: { $gt: 5 } })).toEqual([]);
      await expect(tempsOf({ _ts: { $gt: 'yesterday' } })).rejects.toMatchObject({ code: 'invalid' });
    });

    it('is the same however readings come: late, out of order, twice, in batches of any size, by two at once', async () => {
      const series = versionOf('sensors', 'v2');
      const one = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(12)).map(([item, minute]) => reading(item, new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(), `${item} ${minute}`));
      const write = (some: readonly Reading[]) => store.transaction((tx) => store.readings.upsertMany(tx, series, some));
      await fc.assert(fc.asyncProperty(fc.array(fc.array(one, { maxLength: 8 }), { maxLength: 6 }), fc.array(fc.array(one, { maxLength: 8 }), { maxLength: 3 }), async (batches, others) => {
        await store.transaction((tx) => store.readings.deleteMany(tx, series, {}));
        const counts = await Promise.all([inTurn(batches, write), inTurn([...others, ...batches].reverse(), write)]);
        const sent = new Map([...batches, ...others].flat().map((each) => [`${each._ts} ${each._tsMetadata._telItemId}`, each]));
        const expected = [...sent].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, each]) => each);
        expect((await store.readings.find(series, { limit: 1_000 })).map(({ _ts, temp }) => [_ts, temp])).toEqual(expected.map(({ _ts, temp }) => [_ts, temp]));
        // What each write says of its growth adds up to what is there: whoever counts by them counts right.
        expect(counts.flat().reduce((sum, { inserted, bytesDelta }) => ({ count: sum.count + inserted, bytes: sum.bytes + bytesDelta }), { count: 0, bytes: 0 })).toEqual(await store.readings.stats(series));
      }), { seed: 7, numRuns: Number(process.env['PROPERTY_RUNS'] ?? 12) });
    });

    it('refuses what is no date', async () => {
      await expect(put([reading('a', '2026-02-30T00:00:00Z', 1)])).rejects.toMatchObject({ code: 'invalid' });
    });

    it('removes what is older, as many as asked', async () => {
      const remove = (limit: number) => store.transaction((tx) => store.readings.deleteOlderThan(tx, target, new Date('2026-02-01T00:00:00Z'), limit));
      expect((await remove(1)).count).toBe(1);
      expect((await remove(10)).count).toBe(1);
      expect(await tempsOf({})).toEqual([10]);
    });

    it('groups by time; dates come back as ISO text', async () => {
      const pipeline = [
        { $match: { _ts: { $gte: '2026-01-31' } } },
        { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'hour' } }, mean: { $avg: '$temp' }, last: { $max: '$_ts' } } },
        { $sort: { _id: 1 } },
        { $match: { last: { $exists: true } } },
      ];
      expect(await store.readings.aggregate(target, pipeline)).toEqual([
        { _id: '2026-01-31T12:00:00.000Z', mean: 2, last: '2026-01-31T12:30:00.000Z' },
        { _id: '2026-02-01T00:00:00.000Z', mean: 10, last: '2026-02-01T00:00:00.500Z' },
      ]);
    });

    it('buckets by dates, written as JSON can, and shows no bucket that holds nothing', async () => {
      const buckets = (boundaries: unknown[]) => store.readings.aggregate(target, [{ $bucket: { groupBy: '$_ts', boundaries, default: 'others' } }]);
      expect(await buckets(['2026-01-30', '2026-01-31', '2026-02-01T02:00:00+02:00', { $toDate: '2026-02-02T00:00:00Z' }])).toEqual([{ _id: '2026-01-31T00:00:00.000Z', count: 2 }, { _id: '2026-02-01T00:00:00.000Z', count: 1 }]);
      // In the order of types: texts before dates.
      expect(await buckets(['2026-01-30', '2026-02-01'])).toEqual([{ _id: 'others', count: 1 }, { _id: '2026-01-30T00:00:00.000Z', count: 2 }]);
      const byTemp = (more: object) => store.readings.aggregate(target, [{ $bucket: { groupBy: '$temp', boundaries: [0, 1, 3, 10], ...more } }]);
      expect(await byTemp({ default: 'others', output: { mean: { $avg: '$temp' } } })).toEqual([{ _id: 1, mean: 1 }, { _id: 3, mean: 3 }, { _id: 'others', mean: 10 }]);
      for (const bad of [{}, { default: 2 }, { boundaries: [3, 1], default: 99 }, { boundaries: [0, '1'], default: 99 }, { boundaries: [null, 1], default: 99 }]) {
        await expect(byTemp(bad)).rejects.toMatchObject({ status: 400 });
      }
    });

    it('knows percentiles of numbers', async () => {
      const pipeline = [{ $group: { _id: null, p: { $percentile: { input: '$temp', p: [0.5, 1], method: 'approximate' } }, deviation: { $stdDevPop: '$temp' } } }];
      expect(await store.readings.aggregate(target, pipeline)).toEqual([{ _id: null, p: [3, 10], deviation: expect.closeTo(3.859, 3) as number }]);
    });

    it.each([
      [[{ $out: 'x' }], '$out'],
      [[{ $lookup: {} }], '$lookup'],
      [[{ $match: { $where: '1' } }], '$where'],
      [[{ $limit: 1 }, { $match: { $expr: {} } }], '$expr'],
      [[{ $project: { x: { $function: { body: 'x' } } } }], '$function'],
      [[{ $group: { _id: null, x: { $accumulator: {} } } }], '$accumulator'],
      [[{ $group: { _id: null, x: { $sum: { $add: [1, { $function: {} }] } } } }], '$function'],
      [[{ $addFields: { x: '$$ROOT.__proto__' } }], '__proto__'],
      [[{ $project: { x: '$$CLUSTER_TIME' } }], '$$CLUSTER_TIME'],
      [[{ $limit: 1, $skip: 1 }], 'one operator'],
      [[{ $limit: -1 }], '$limit'],
      [[{ $count: '_id' }], '$count'],
      [[{ $limit: 1 }, { $match: { a: { $regex: '(a+)+$' } } }], '$regex'],
    ])('refuses %j, naming it', async (pipeline, naming) => {
      await expect(store.readings.aggregate(target, pipeline)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(naming) as string });
    });
  });
}
