import fc from 'fast-check';
import { versionOf, type DocumentStore, type JsonObject, type Reading } from '../src';
import { planGroup } from '../src/aggregation/group-plan';
import { parsePipeline } from '../src/aggregation/parse-pipeline';
import { rowsOf, runStages } from '../src/aggregation/run-stages';
import type { MakeStore } from './document-store.contract';

const SEED = 77;
/** `PROPERTY_RUNS` asks for more. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 60);
const isDate = (path: string) => path === '_ts';
const value = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -4, max: 9 }) }, { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 'x', 0.5, [1, 2], true) });
const readingOf = (ts: number, item: string, measures: object): Reading => ({ ...measures, _ts: new Date(ts).toISOString(), _tsMetadata: { _telItemId: item, _sourceId: `s${item}` } });
/** Over the nights in which clocks are put forward in Havana (at midnight) and in Berlin. */
const readings = fc.tuple(fc.integer({ min: Date.UTC(2023, 11, 30), max: Date.UTC(2024, 3, 3) }), fc.constantFrom('a', 'b'), fc.record({ n: fc.integer({ min: 0, max: 5 }), v: value, o: fc.record({ w: value }, { requiredKeys: [] }) }, { requiredKeys: ['n'] })).map(
  ([ts, item, measures]) => readingOf(ts, item, measures),
);

const path = fc.constantFrom('$n', '$v', '$o.w', '$none');
const clocks = fc.constantFrom<object>({}, {}, { timezone: 'UTC' }, { timezone: 'Europe/Berlin' }, { timezone: 'America/Havana' }, { timezone: 'Asia/Kathmandu' }, { timezone: '-03:30' });
const span = fc.oneof(
  fc.tuple(fc.constantFrom('year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'), fc.constantFrom(1, 1, 5, 15), clocks).map(([unit, binSize, zone]) => ({ $dateTrunc: { date: '$_ts', unit, ...(binSize > 1 && { binSize }), ...zone } })),
  fc.tuple(fc.constantFrom({}, { format: '%Y-%m-%d' }, { format: '%Y-%m-%dT%H:00:00Z' }, { format: '%H:%M' }, { format: '%j' }), clocks).map(([format, zone]) => ({ $dateToString: { date: '$_ts', ...format, ...zone } })),
  fc.tuple(fc.constantFrom('$year', '$month', '$dayOfMonth', '$dayOfWeek', '$isoDayOfWeek', '$dayOfYear', '$hour', '$minute'), clocks).map(([part, zone]) => ({ [part]: Object.keys(zone).length === 0 ? '$_ts' : { date: '$_ts', ...zone } })),
);
const key = fc.oneof(fc.constantFrom<unknown>(null, '$n', '$v', '$_tsMetadata._telItemId', '$o.w'), span, fc.record({ item: fc.constant('$_tsMetadata._telItemId'), at: span }));
const accumulator = fc.oneof(
  fc.tuple(fc.constantFrom('$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp', '$first', '$last'), path).map(([operator, operand]) => ({ [operator]: operand })),
  fc.constantFrom<JsonObject>({ $sum: 1 }, { $count: {} }, { $sum: 2.5 }, { $min: '$_ts' }, { $max: '$_ts' }, { $first: '$_ts' }),
  path.map((input) => ({ $percentile: { input, p: [0, 0.5, 0.95], method: 'approximate' } })),
);
const group = fc.tuple(key, fc.dictionary(fc.constantFrom('one', 'two', 'three'), accumulator, { maxKeys: 3 })).map(([_id, outputs]) => ({ ...outputs, _id }));
/** None, or one by instant: it tells what comes first and last. */
const before = fc.constantFrom<readonly JsonObject[]>([], [], [{ $sort: { _ts: 1 } }], [{ $sort: { _ts: -1 } }]);

/** Sums differ in their last digits by the order of adding; the order of groups and of names is nobody's promise. */
const canonical = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  return Object.entries(value).map(([name, inner]) => [name, canonical(inner)]).sort(([one], [other]) => String(one).localeCompare(String(other)));
};
const rounded = (rows: readonly JsonObject[]) => rows.map((row) => JSON.stringify(canonical(row))).sort();

/** `spread`: an accumulator that not every server knows. */
export function describeGroupPushdown(name: string, makeStore: MakeStore, spread: string = '$stdDevPop'): void {
  describe(`$group in the store: ${name}`, () => compareWithMemory(makeStore, spread));
}

function compareWithMemory(makeStore: MakeStore, spread: string): void {
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
      fc.asyncProperty(before, group, fc.constantFrom<JsonObject>({}, { n: { $lt: 2 } }, { _ts: { $gte: '2024-01-15' } }, { v: { $type: 'number' } }), async (sort, operand, match) => {
        const { stages } = parsePipeline([{ $limit: 1_000 }, ...sort, { $group: operand }]);
        if (planGroup(stages.slice(1), isDate)) planned += 1;
        const matching = (await store.readings.find(target, { filter: match, limit: 1_000 })) as readonly JsonObject[];
        const expected = await runStages(rowsOf(matching), stages, { isDate });
        const found = await store.readings.aggregate(target, [{ $match: match }, ...sort, { $group: operand }]);
        expect({ sort, operand, match, found: rounded(found) }).toEqual({ sort, operand, match, found: rounded(expected) });
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(stored.length).toBeGreaterThan(250);
    expect(planned).toBeGreaterThan(RUNS * 0.9);
  });

  it('sorts and cuts groups as the pipeline in memory does', async () => {
    const all = (await store.readings.find(target, { limit: 1_000 })) as readonly JsonObject[];
    const byHour = { _id: { item: '$_tsMetadata._telItemId', at: { $dateTrunc: { date: '$_ts', unit: 'week' } } }, mean: { $avg: '$n' }, last: { $max: '$_ts' }, newest: { $last: '$v' } };
    const names = fc.constantFrom('mean', 'last', 'newest', '_id.at', '_id.item');
    const sorts = fc.tuple(fc.uniqueArray(fc.tuple(names, fc.constantFrom(1, -1)), { maxLength: 2, selector: ([name]) => name }), fc.constantFrom(1, -1)).map(([some, last]) => Object.fromEntries([...some, ['_id.at', last], ['_id.item', 1]]) as JsonObject);
    await fc.assert(fc.asyncProperty(sorts, fc.nat(5), fc.integer({ min: 1, max: 20 }), async (sort, skip, limit) => {
      const tail = [{ $sort: sort }, { $skip: skip }, { $limit: limit }, { $project: { day: { $dayOfMonth: '$_id.at' }, last: 1, mean: { $round: ['$mean', 6] } } }];
      const expected = await runStages(rowsOf(all), parsePipeline([{ $limit: 1_000 }, { $group: byHour }, ...tail]).stages, { isDate });
      expect({ sort, found: await store.readings.aggregate(target, [{ $group: byHour }, ...tail]) }).toEqual({ sort, found: expected });
    }), { seed: SEED, numRuns: Math.ceil(RUNS / 3) });
  });

  it('reads no reading to group them by time, on any page of the groups', async () => {
    const streamed = jest.spyOn(store.readings as unknown as { cursorOver: () => unknown }, 'cursorOver');
    const hourly = { $dateTrunc: { date: '$_ts', unit: 'hour' } };
    const measures = { mean: { $avg: '$n' }, least: { $min: '$n' }, most: { $max: '$n' }, sum: { $sum: '$n' }, count: { $count: {} }, spread: { [spread]: '$n' }, first: { $first: '$n' }, last: { $last: '$n' }, until: { $max: '$_ts' } };
    const inBerlin = { date: '$_ts', timezone: 'Europe/Berlin' };
    const local = [{ $dateTrunc: { ...inBerlin, unit: 'day' } }, { item: '$_tsMetadata._telItemId', at: { $dateTrunc: { ...inBerlin, unit: 'month' } } }, { $dateToString: inBerlin }, { $hour: inBerlin }];
    for (const _id of [hourly, { item: '$_tsMetadata._telItemId', at: hourly }, { $dateToString: { date: '$_ts', format: '%Y-%m-%d' } }, { $hour: '$_ts' }, ...local]) {
      await store.readings.aggregate(target, [{ $match: { _ts: { $gte: '2024-01-01' } } }, { $group: { _id, ...measures } }, { $sort: { _id: 1 } }, { $limit: 50 }, { $project: { mean: 1 } }]);
    }
    expect(streamed).not.toHaveBeenCalled();
    await store.readings.aggregate(target, [{ $limit: 10 }, { $group: { _id: hourly, all: { $push: '$n' } } }]);
    expect(streamed).toHaveBeenCalledTimes(1);
    streamed.mockRestore();
  });

  it('begins days by the clocks of a zone, which have 23 hours and 25 where these are changed', async () => {
    const version = versionOf('sensors', 'clocks');
    const quarters = (from: number, count: number) => Array.from({ length: count }, (_, place) => readingOf(from + place * 900_000, 'a', {}));
    await store.transaction((tx) => store.readings.upsertMany(tx, version, [
      ...quarters(Date.UTC(2024, 2, 30, 23), 96), ...quarters(Date.UTC(2024, 9, 26, 22), 104), ...quarters(Date.UTC(1999, 11, 31, 23), 2), ...quarters(Date.UTC(2049, 11, 31, 22), 8),
    ]));
    const days = (match: JsonObject) => store.readings.aggregate(version, [{ $match: match }, { $group: { _id: { $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Europe/Berlin' } }, count: { $sum: 1 } } }, { $sort: { _id: 1 } }]);
    const found = [
      { _id: '2024-03-30T23:00:00.000Z', count: 23 * 4 }, { _id: '2024-03-31T22:00:00.000Z', count: 4 },
      { _id: '2024-10-26T22:00:00.000Z', count: 25 * 4 }, { _id: '2024-10-27T23:00:00.000Z', count: 4 },
    ];
    expect(await days({ _ts: { $gte: '2024-01-01', $lt: '2025-01-01' } })).toEqual(found);
    expect(await days({})).toEqual([{ _id: '1999-12-31T23:00:00.000Z', count: 2 }, ...found, { _id: '2049-12-30T23:00:00.000Z', count: 4 }, { _id: '2049-12-31T23:00:00.000Z', count: 4 }]);
  });

  it('refuses to group by the clocks of no zone', async () => {
    await expect(store.readings.aggregate(target, [{ $group: { _id: { $hour: { date: '$_ts', timezone: 'Atlantis/Poseidonis' } } } }])).rejects.toThrow('There is no timezone');
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
