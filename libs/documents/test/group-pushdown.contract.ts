import fc from 'fast-check';
import { versionOf, type DocumentStore, type JsonObject, type Reading } from '../src';
import { planGroup } from '../src/aggregation/group-plan';
import { parsePipeline } from '../src/aggregation/parse-pipeline';
import { runInMemory } from '../src/aggregation/run-in-memory';
import type { MakeStore } from './document-store.contract';

const SEED = 77;
const isDate = (path: string) => path === '_ts';
const value = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -4, max: 9 }) }, { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'x', 0.5, [1, 2], true) });
const readingOf = (ts: number, item: string, measures: object): Reading => ({ ...measures, _ts: new Date(ts).toISOString(), _tsMetadata: { _telItemId: item, _sourceId: `s${item}` } });
const readings = fc.tuple(fc.integer({ min: Date.UTC(2023, 11, 30), max: Date.UTC(2024, 2, 3) }), fc.constantFrom('a', 'b'), fc.record({ n: fc.integer({ min: 0, max: 5 }), v: value, o: fc.record({ w: value }, { requiredKeys: [] }) }, { requiredKeys: ['n'] })).map(
  ([ts, item, measures]) => readingOf(ts, item, measures),
);

const path = fc.constantFrom('$n', '$v', '$o.w', '$none');
const span = fc.tuple(fc.constantFrom('year', 'month', 'day', 'hour', 'minute', 'second'), fc.constantFrom(1, 1, 5, 15)).map(([unit, binSize]) => ({ $dateTrunc: { date: '$_ts', unit, ...(binSize > 1 && { binSize }) } }));
const key = fc.oneof(fc.constantFrom<unknown>(null, '$n', '$v', '$_tsMetadata._telItemId', '$o.w'), span, fc.record({ item: fc.constant('$_tsMetadata._telItemId'), at: span }));
const accumulator = fc.oneof(
  fc.tuple(fc.constantFrom('$sum', '$avg', '$min', '$max'), path).map(([operator, operand]) => ({ [operator]: operand })),
  fc.constantFrom<JsonObject>({ $sum: 1 }, { $count: {} }, { $sum: 2.5 }, { $min: '$_ts' }, { $max: '$_ts' }),
);
const group = fc.tuple(key, fc.dictionary(fc.constantFrom('one', 'two', 'three'), accumulator, { maxKeys: 3 })).map(([_id, outputs]) => ({ ...outputs, _id }));

/** Sums differ in their last digits by the order of adding; the order of groups and of names is nobody's promise. */
const canonical = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  return Object.entries(value).map(([name, inner]) => [name, canonical(inner)]).sort(([one], [other]) => String(one).localeCompare(String(other)));
};
const rounded = (rows: readonly JsonObject[]) => rows.map((row) => JSON.stringify(canonical(row))).sort();

export function describeGroupPushdown(name: string, makeStore: MakeStore): void {
  describe(`$group in the store: ${name}`, () => compareWithMemory(makeStore));
}

function compareWithMemory(makeStore: MakeStore): void {
  let store: DocumentStore;
  let close: (() => Promise<void>) | undefined;
  const target = versionOf('sensors', 'v');
  const sample = fc.sample(readings, { seed: SEED, numRuns: 300 });
  beforeAll(async () => {
    ({ store, close } = await makeStore());
    await store.createCollection('sensors');
    await store.transaction((tx) => store.readings.upsertMany(tx, target, sample));
  });
  afterAll(() => close?.());

  it('answers what the pipeline in memory answers', async () => {
    const stored = (await store.readings.find(target, { limit: 1_000 })) as readonly JsonObject[];
    let planned = 0;
    await fc.assert(
      fc.asyncProperty(group, fc.constantFrom<JsonObject>({}, { n: { $lt: 2 } }, { _ts: { $gte: '2024-01-15' } }, { v: { $type: 'number' } }), async (operand, match) => {
        const { stages } = parsePipeline([{ $limit: 1_000 }, { $group: operand }]);
        if (planGroup(stages[1], isDate)) planned += 1;
        const matching = (await store.readings.find(target, { filter: match, limit: 1_000 })) as readonly JsonObject[];
        const expected = runInMemory(matching, stages, isDate);
        const found = await store.readings.aggregate(target, [{ $match: match }, { $group: operand }]);
        expect({ operand, match, found: rounded(found) }).toEqual({ operand, match, found: rounded(expected) });
      }),
      { seed: SEED, numRuns: 150 },
    );
    expect(stored.length).toBeGreaterThan(250);
    expect(planned).toBeGreaterThan(120);
  });

  it('sorts and cuts in the store what no group of it needs', async () => {
    const all = (await store.readings.find(target, { limit: 1_000 })) as readonly JsonObject[];
    const latest = [...all].reverse();
    const instants = async (...pipeline: readonly JsonObject[]) => (await store.readings.aggregate(target, pipeline)).map((row) => row['_ts']);
    const expected = (from: number, to: number) => latest.slice(from, to).map((row) => row['_ts']);
    expect(await instants({ $sort: { _ts: -1 } }, { $limit: 3 })).toEqual(expected(0, 3));
    expect(await instants({ $match: { _ts: { $gte: '2023-01-01' } } }, { $sort: { _ts: -1 } }, { $skip: 2 }, { $limit: 2 }, { $project: { _ts: 1 } })).toEqual(expected(2, 4));
    expect(await instants({ $limit: 5 }, { $sort: { _ts: -1 } }, { $limit: 1 })).toEqual([all[4]?.['_ts']]);
  });
}
