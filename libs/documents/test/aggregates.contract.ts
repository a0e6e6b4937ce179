import { type DocumentStore, type JsonObject, type Reading, type StoredDocument, versionOf } from '../src';

const COUNT = 300;
const TEXT_BYTES = 1_000;
/** What an answer of these stores weighs at most: a third of what there is. */
const ANSWER_BYTES = 100_000;
const TARGET = versionOf('weighty', 'v');

type MakeSmallStore = (options: { readonly answerBytes: number }) => Promise<{ readonly store: DocumentStore; readonly close: () => Promise<void> }>;

/** Every adapter passes this: what an aggregate reads is as much as it needs, whatever an answer may weigh. */
export function describeAggregates(name: string, makeStore: MakeSmallStore): void {
  describe(`aggregates over more than an answer may weigh: ${name}`, () => {
    let store: DocumentStore;
    let close: (() => Promise<void>) | undefined;
    const textOf = (n: number) => String(n).padStart(TEXT_BYTES, '0');
    beforeAll(async () => {
      ({ store, close } = await makeStore({ answerBytes: ANSWER_BYTES }));
      await store.createCollection(TARGET.name);
      const documents = Array.from({ length: COUNT }, (_, n): StoredDocument => ({ _id: String(n), n, text: textOf(n) }));
      const readings = documents.map(({ _id, ...fields }, n): Reading => ({ ...fields, _ts: new Date(n * 1_000).toISOString(), _tsMetadata: { _telItemId: 'a', _sourceId: 'a' } }));
      await store.transaction((tx) => store.insertMany(tx, TARGET, documents));
      await store.transaction((tx) => store.readings.upsertMany(tx, TARGET, readings));
    });
    afterAll(() => close?.());

    const sources: Readonly<Record<string, (pipeline: readonly JsonObject[], gone?: AbortSignal) => Promise<JsonObject[]>>> = {
      documents: (pipeline, gone) => store.aggregate(TARGET, pipeline, gone && { gone }),
      readings: (pipeline, gone) => store.readings.aggregate(TARGET, pipeline, gone && { gone }),
    };
    const heavy = { status: 400, code: 'limit_exceeded' };

    describe.each(Object.keys(sources))('%s', (source) => {
      const aggregate = (...pipeline: readonly JsonObject[]) => (sources[source] as (pipeline: readonly JsonObject[]) => Promise<JsonObject[]>)(pipeline);

      it.each([250, 5_000, 5_001])('compute over the first %d of them', async (limit) => {
        const n = Math.min(limit, COUNT);
        expect(await aggregate({ $limit: limit }, { $group: { _id: null, n: { $sum: 1 }, most: { $max: '$n' }, longest: { $max: { $strLenCP: '$text' } } } })).toEqual([{ _id: null, n, most: n - 1, longest: TEXT_BYTES }]);
      });

      it('show a page of them as the stages behind it leave it', async () => {
        const rows = await aggregate({ $match: { n: { $lt: 290 } } }, { $sort: { n: -1 } }, { $skip: 10 }, { $limit: 200 }, { $project: { n: 1, _id: 0 } });
        expect(rows).toEqual(Array.from({ length: 200 }, (_, place) => ({ n: 279 - place })));
        expect(await aggregate({ $skip: COUNT - 1 }, { $project: { n: 1, _id: 0 } })).toEqual([{ n: COUNT - 1 }]);
        expect(await aggregate({ $skip: COUNT }, { $project: { n: 1 } })).toEqual([]);
      });

      it('are not gone on with when the caller has gone, whoever works at them', async () => {
        const pipelines = [[{ $group: { _id: '$n', n: { $sum: 1 } } }], [{ $set: { one: 1 } }, { $count: 'n' }]];
        for (const pipeline of pipelines) await expect(sources[source]?.(pipeline, AbortSignal.abort())).rejects.toMatchObject({ code: 'request_timeout' });
      });

      it('refuse an answer that would weigh more', async () => {
        for (const pipeline of [[{ $set: { one: 1 } }], [{ $limit: 250 }], [{ $group: { _id: null, all: { $push: '$text' } } }]]) await expect(aggregate(...pipeline)).rejects.toMatchObject(heavy);
      });

      it('refuse groups that would weigh more, and make as many as weigh less', async () => {
        const byText = { $group: { _id: '$text', n: { $sum: 1 } } };
        await expect(aggregate(byText, { $count: 'n' })).rejects.toMatchObject(heavy);
        expect(await aggregate(byText, { $sort: { _id: 1 } }, { $skip: 1 }, { $limit: 50 }, { $project: { n: 1 } })).toEqual(Array.from({ length: 50 }, (_, place) => ({ _id: textOf(place + 1), n: 1 })));
      });
    });
  });
}
