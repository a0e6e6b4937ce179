import fc from 'fast-check';
import { Growth } from '../src/aggregation/growth';
import type { Stage } from '../src/aggregation/parse-pipeline';
import { rowByRow } from '../src/aggregation/mingo-operators';
import { rowsOf, runStages, toJson, withDates } from '../src/aggregation/run-stages';
import type { JsonObject } from '../src';
import { FILTER_CASES } from './filter.contract';
import { matches } from './mongo-meaning';
import { wildDocument, wildFilter } from './wild-generators';

const isDate = (path: string) => path === '_ts' || path === 'to';

/** What an expression says of an instant. */
const of = (expression: JsonObject, _ts: string, more: JsonObject = {}): unknown =>
  toJson([...rowByRow([{ $project: { is: expression } }])([withDates({ ...more, _ts }, isDate)])][0]?.['is']);

const runInMemory = (rows: readonly JsonObject[], stages: readonly Stage[]) => runStages(rowsOf(rows), stages, { isDate });

const truncated = (_ts: string, unit: string, more: JsonObject = {}) => of({ $dateTrunc: { date: '$_ts', unit, ...more } }, _ts);

/** Instants and what is said of them, as MongoDB 8 says it. */
describe('dates in aggregates', () => {
  it.each([
    // The day of Berlin on which clocks go from 2 to 3 has 23 hours.
    ['2026-03-28T22:59:59.999Z', 'day', { timezone: 'Europe/Berlin' }, '2026-03-27T23:00:00.000Z'],
    ['2026-03-28T23:00:00.000Z', 'day', { timezone: 'Europe/Berlin' }, '2026-03-28T23:00:00.000Z'],
    ['2026-03-29T21:59:59.999Z', 'day', { timezone: 'Europe/Berlin' }, '2026-03-28T23:00:00.000Z'],
    ['2026-03-29T22:00:00.000Z', 'day', { timezone: 'Europe/Berlin' }, '2026-03-29T22:00:00.000Z'],
    // The day on which they go back has 25.
    ['2026-10-25T22:59:59.999Z', 'day', { timezone: 'Europe/Berlin' }, '2026-10-24T22:00:00.000Z'],
    ['2026-03-31T22:30:00.000Z', 'month', { timezone: 'Europe/Berlin' }, '2026-03-31T22:00:00.000Z'],
    ['2026-12-31T23:30:00.000Z', 'year', { timezone: 'Europe/Berlin' }, '2026-12-31T23:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', 'week', { timezone: 'America/New_York', startOfWeek: 'monday' }, '2025-12-29T05:00:00.000Z'],
    ['2026-01-04T00:00:00.000Z', 'week', {}, '2026-01-04T00:00:00.000Z'],
    ['2026-01-01T10:20:00.000Z', 'hour', { timezone: 'Asia/Kolkata' }, '2026-01-01T09:30:00.000Z'],
    ['2026-01-01T10:20:00.000Z', 'hour', { timezone: '+05:45' }, '2026-01-01T10:15:00.000Z'],
    // Spans of hours are counted from the year 2000 as clocks showed it there, and do not follow changes of clocks.
    ['2026-07-01T08:00:00.000Z', 'hour', { timezone: 'America/New_York', binSize: 6 }, '2026-07-01T05:00:00.000Z'],
    ['2026-01-01T03:00:00.000Z', 'day', { timezone: 'America/Argentina/Buenos_Aires' }, '2026-01-01T03:00:00.000Z'],
    ['2026-01-01T03:00:00.000Z', 'day', { timezone: 'Etc/GMT+5' }, '2025-12-31T05:00:00.000Z'],
    ['2026-01-01T03:00:00.000Z', 'day', { timezone: '-0330' }, '2025-12-31T03:30:00.000Z'],
    ['1969-12-31T23:59:59.000Z', 'day', { binSize: 2 }, '1969-12-31T00:00:00.000Z'],
    // In Cairo there was no midnight on that day.
    ['2025-04-25T10:00:00.000Z', 'day', { timezone: 'Africa/Cairo' }, '2025-04-24T22:00:00.000Z'],
  ])('%s truncated to %s %j', (instant, unit, more, expected) => {
    expect(truncated(instant, unit, more)).toBe(expected);
  });

  it('puts what clocks of a zone show of one day into one bucket', async () => {
    const hours = Array.from({ length: 72 }, (_, hour) => ({ _ts: new Date(Date.UTC(2026, 2, 27, 23) + hour * 3_600_000).toISOString() }));
    const group = { _id: { $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Europe/Berlin' } }, hours: { $sum: 1 }, until: { $max: '$_ts' } };
    expect(await runInMemory(hours, [{ name: '$group', operand: group }, { name: '$sort', operand: { _id: 1 } }])).toEqual([
      { _id: '2026-03-27T23:00:00.000Z', hours: 24, until: '2026-03-28T22:00:00.000Z' },
      { _id: '2026-03-28T23:00:00.000Z', hours: 23, until: '2026-03-29T21:00:00.000Z' },
      { _id: '2026-03-29T22:00:00.000Z', hours: 24, until: '2026-03-30T21:00:00.000Z' },
      { _id: '2026-03-30T22:00:00.000Z', hours: 1, until: '2026-03-30T22:00:00.000Z' },
    ]);
  });

  it.each([
    ['%Y-%m-%d %H:%M:%S.%L %j', 'Europe/Berlin', '2026-03-28 13:05:09.007 087'],
    ['%u %w %U %V %G', 'UTC', '6 7 12 13 2026'],
    ['%z %Z 100%%', 'Asia/Kolkata', '+0530 330 100%'],
    ['%z %Z', 'America/St_Johns', '-0230 -150'],
    ['%d %b, %B', '+13', '29 Mar, March'],
  ])('writes %s in %s', (format, timezone, expected) => {
    expect(of({ $dateToString: { date: '$_ts', format, timezone } }, '2026-03-28T12:05:09.007Z')).toBe(expected);
  });

  it('writes ISO text where no format is named, with a Z in UTC alone', () => {
    expect(of({ $dateToString: { date: '$_ts' } }, '2026-03-28T12:00:00Z')).toBe('2026-03-28T12:00:00.000Z');
    expect(of({ $dateToString: { date: '$_ts', timezone: 'Asia/Tokyo' } }, '2026-03-28T12:00:00Z')).toBe('2026-03-28T21:00:00.000');
  });

  it.each([
    [{ amount: 1, unit: 'month' }, '2026-01-31T08:00:00Z', '2026-02-28T08:00:00.000Z'],
    [{ amount: 1, unit: 'year' }, '2024-02-29T08:00:00Z', '2025-02-28T08:00:00.000Z'],
    [{ amount: -3, unit: 'month' }, '2026-01-31T08:00:00Z', '2025-10-31T08:00:00.000Z'],
    [{ amount: 1, unit: 'quarter' }, '2026-11-30T08:00:00Z', '2027-02-28T08:00:00.000Z'],
    // A day later clocks show the same, 23 hours later; 24 hours later they do not.
    [{ amount: 1, unit: 'day', timezone: 'Europe/Berlin' }, '2026-03-28T08:00:00Z', '2026-03-29T07:00:00.000Z'],
    [{ amount: 24, unit: 'hour', timezone: 'Europe/Berlin' }, '2026-03-28T08:00:00Z', '2026-03-29T08:00:00.000Z'],
  ])('adds %j to %s', (operands, instant, expected) => {
    expect(of({ $dateAdd: { startDate: '$_ts', ...operands } }, instant)).toBe(expected);
    expect(of({ $dateSubtract: { startDate: '$_ts', ...operands, amount: -operands.amount } }, instant)).toBe(expected);
  });

  it.each([
    ['day', {}, '2026-03-28T23:59:59Z', '2026-03-29T00:00:00Z', 1],
    ['day', { timezone: 'Europe/Berlin' }, '2026-03-28T23:59:59Z', '2026-03-29T00:00:00Z', 0],
    ['hour', { timezone: 'Europe/Berlin' }, '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 23],
    ['week', { startOfWeek: 'monday' }, '2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z', 1],
    ['week', {}, '2026-01-04T00:00:00Z', '2026-01-05T00:00:00Z', 0],
    ['month', {}, '2026-01-31T00:00:00Z', '2025-12-31T23:59:59Z', -1],
    ['second', {}, '2026-01-01T00:00:00.999Z', '2026-01-01T00:00:01.000Z', 1],
  ])('counts %s %j between two', (unit, more, from, to, expected) => {
    expect(of({ $dateDiff: { startDate: '$_ts', endDate: '$to', unit, ...more } }, from, { to })).toBe(expected);
  });

  it.each([
    ['2021-01-01T12:00:00Z', { week: 0, iso: 53, isoYear: 2020, day: 6, isoDay: 5, dayOfYear: 1 }],
    ['2021-01-03T12:00:00Z', { week: 1, iso: 53, isoYear: 2020, day: 1, isoDay: 7, dayOfYear: 3 }],
    ['2024-12-30T12:00:00Z', { week: 52, iso: 1, isoYear: 2025, day: 2, isoDay: 1, dayOfYear: 365 }],
  ])('knows the weeks of %s', (instant, expected) => {
    const is = (operator: string) => of({ [operator]: '$_ts' }, instant);
    expect({ week: is('$week'), iso: is('$isoWeek'), isoYear: is('$isoWeekYear'), day: is('$dayOfWeek'), isoDay: is('$isoDayOfWeek'), dayOfYear: is('$dayOfYear') }).toEqual(expected);
  });

  it('takes parts of a date in a zone, and null for null', () => {
    const of10 = (operator: string, timezone: unknown) => of({ [operator]: { date: '$_ts', timezone } }, '2026-12-31T23:10:11.012Z');
    expect([of10('$year', 'Asia/Tokyo'), of10('$hour', 'Asia/Tokyo'), of10('$minute', '+0545'), of10('$millisecond', 'UTC'), of10('$hour', null)]).toEqual([2027, 8, 55, 12, null]);
    expect([of({ $hour: '$none' }, '2026-01-01'), of({ $hour: ['$_ts'] }, '2026-01-01T05:00Z'), truncated('2026-01-01', 'day', { timezone: null }), of({ $dateToString: { date: '$none', onNull: '-' } }, '2026-01-01')]).toEqual([null, 5, null, '-']);
  });

  it('compares ISO text with dates wherever stages have put them', async () => {
    const rows = [0, 1, 2, 3].map((day) => ({ _ts: new Date(Date.UTC(2026, 0, 1 + day, 12)).toISOString(), n: day }));
    const day = { $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Asia/Tokyo' } };
    const left = (...stages: (readonly [Stage['name'], unknown])[]) => runInMemory(rows, stages.map(([name, operand]) => ({ name, operand }))).then(({ length }) => length);
    const since = (path: string) => ['$match', { [path]: { $gte: '2026-01-02T15:00:00Z' } }] as const;
    expect(await Promise.all([
      left(['$group', { _id: day }], since('_id')),
      left(['$group', { _id: { day, n: '$n' } }], since('_id.day')),
      left(['$group', { _id: '$n', until: { $max: '$_ts' } }], since('until')),
      left(['$addFields', { day }], since('day')),
      left(['$project', { when: '$_ts', n: 1 }], since('when')),
      left(['$project', { n: 0 }], ['$set', { n: 1 }], since('_ts')),
      left(['$project', { day }], ['$group', { _id: '$day' }], since('_id')),
      left(['$bucketAuto', { groupBy: '$_ts', buckets: 4 }], since('_id.min')),
    ])).toEqual([2, 2, 2, 2, 2, 2, 2, 2]);
    expect(await left(['$project', { _ts: { $dateToString: { date: '$_ts', format: '%Y-%m-%d' } } }], ['$match', { _ts: { $gte: '2026-01-03' } }])).toBe(2);
    expect(await left(['$group', { _id: '$n', _ts: { $count: {} } }], ['$match', { _ts: 1 }])).toBe(4);
  });

  it('takes texts without a zone for UTC, wherever the server is', () => {
    const is = (value: unknown) => of({ $toDate: value }, '2026-01-01');
    expect([is('2026-01-01T10:00:00'), is('2026-01-01'), is(1_000.9), is('$_ts'), is('$none')]).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z', '2026-01-01T00:00:00.000Z', null]);
  });

  it.each([
    [{ $toDate: 'yesterday' }, '$toDate: needs a date and time in ISO 8601'],
    [{ $dateTrunc: { date: '$_ts', unit: 'day', timezone: 'Mars/Base' } }, 'There is no timezone "Mars/Base"'],
    [{ $dateTrunc: { date: '$_ts', unit: 'fortnight' } }, '$dateTrunc: unit is one of'],
    [{ $dateTrunc: { date: '$_ts', unit: 'day', binSize: 0 } }, '$dateTrunc: needs a whole number, 1 or more'],
    [{ $dateTrunc: { date: '$_ts', unit: 'week', startOfWeek: 'someday' } }, '$dateTrunc: startOfWeek is a day of the week'],
    [{ $dateTrunc: '$_ts' }, '$dateTrunc: needs an object'],
    [{ $dateToString: { date: '$_ts', format: '%Q' } }, '$dateToString: the format has no %Q'],
    [{ $dateToString: { date: 'text' } }, '$dateToString: needs a date'],
    [{ $dateAdd: { startDate: '$_ts', unit: 'year', amount: 300_000 } }, '$dateAdd: the date is too far away'],
    [{ $dateAdd: { startDate: '$_ts', unit: 'day', amount: 0.5 } }, '$dateAdd: needs a whole number'],
  ])('says what is wrong with %j', (expression, message) => {
    expect(() => of(expression as JsonObject, '2026-01-01T00:00:00Z')).toThrow(message);
  });
});

describe('comparisons in aggregates', () => {
  it.each([
    [['$gt', 'text', 5], true], [['$lt', null, 5], true], [['$lt', '$none', 5], true], [['$gte', true, 'text'], true], [['$lte', 5, 5], true], [['$gt', '$none', 0], false],
    [['$eq', null, '$none'], false], [['$ne', null, '$none'], true], [['$eq', '$none', '$nothing'], true], [['$eq', 1, '1'], false], [['$eq', [1, { a: 2 }], [1, { a: 2 }]], true], [['$eq', [1], [1, 2]], false],
    [['$eq', [1], 1], false], [['$eq', { $literal: { a: 1, b: 2 } }, { $literal: { b: 2, a: 1 } }], true], [['$eq', '$_ts', '$_ts'], true], [['$gt', '$_ts', { $toDate: '2025-12-31' }], true], [['$gt', '$_ts', 5], true], [['$lt', { $literal: { a: 1 } }, [0]], true],
  ] as const)('%j is %s', ([operator, left, right], expected) => {
    expect(of({ [operator]: [left, right] } as JsonObject, '2026-01-01')).toBe(expected);
  });
});

const run = (rows: readonly JsonObject[], ...pipeline: readonly JsonObject[]) =>
  runInMemory(rows, pipeline.map((stage) => ({ name: Object.keys(stage)[0], operand: Object.values(stage)[0] }) as Stage));

/** What mingo, which runs them, would say otherwise. */
describe('numbers, lists and orders in aggregates, as MongoDB has them', () => {
  it.each([
    ['$round', [1.2553, 2], 1.26], ['$round', [2.52], 3], ['$round', 2.5, 2], ['$round', [3.5, 0], 4], ['$round', [-2.5, 0], -2], ['$round', [1.25, 1], 1.2],
    ['$round', [1.35, 1], 1.4], ['$round', [1.005, 2], 1], ['$round', [1278, -2], 1300], ['$round', [-1250, -2], -1200], ['$round', [1250.5, -2], 1300],
    ['$round', [1e300, 2], 1e300], ['$round', [0.999, 2], 1], ['$round', ['$none', 1], null], ['$round', [1, null], null],
    ['$trunc', 2.7, 2], ['$trunc', [-1.57, 1], -1.5], ['$trunc', [1299, -2], 1200], ['$trunc', [0.5, 0], 0],
    ['$mod', ['$none', 2], null], ['$slice', ['$none', 1], null], ['$toUpper', null, ''], ['$toLower', '$none', ''],
    ['$cmp', ['\u{1f600}', '\uffee'], 1], ['$cmp', [[3, 1], [2]], 1], ['$cmp', ['$none', null], -1], ['$cmp', [2, 2], 0],
    ['$max', '$none', null], ['$max', '$one', 7], ['$max', '$list', 9], ['$max', ['$one', '$list'], [9, 3]], ['$max', ['$list'], 9], ['$min', ['$one', '$none', null], 7],
    ['$sum', '$none', 0], ['$sum', '$one', 7], ['$avg', '$list', 6], ['$avg', '$none', null], ['$stdDevPop', '$list', 3], ['$stdDevSamp', '$one', null],
  ])('%s of %j is %j', async (operator, operand, expected) => {
    expect(await run([{ one: 7, list: [9, 3] }], { $project: { is: { [operator]: operand } } })).toEqual([{ is: expected }]);
  });

  it('refuses to round what is no number, and to more places than there are', async () => {
    await expect(run([{ n: 'x' }], { $project: { is: { $round: ['$n', 1] } } })).rejects.toThrow('$round: needs a number');
    await expect(run([{ n: 1 }], { $project: { is: { $trunc: ['$n', 0.5] } } })).rejects.toThrow('places are a whole number');
  });

  it('groups: what is missing is no value, arrays are compared as they are', async () => {
    const all = { $group: { _id: null, list: { $push: '$a' }, set: { $addToSet: '$a' }, most: { $max: '$a' }, least: { $min: '$a' }, sum: { $sum: '$a' }, many: { $sum: 2 }, last: { $max: '$t' } } };
    const rows = [{ a: 3 }, {}, { a: null }, { a: [1, 2], t: '\uffee' }, { a: 3, t: '\u{1f600}' }];
    expect(await run(rows, all)).toEqual([{ _id: null, list: [3, null, [1, 2], 3], set: [3, null, [1, 2]], most: [1, 2], least: 3, sum: 6, many: 10, last: '\u{1f600}' }]);
  });

  it('counts nothing as no row', async () => {
    expect(await run([{ n: 1 }], { $count: 'rows' })).toEqual([{ rows: 1 }]);
    expect(await run([], { $count: 'rows' })).toEqual([]);
  });

  it.each([
    [{ a: 1, _id: 1 }, ['empty', 'missing', 'null', 'list', 'two', 'text', 'emoji', 'object', 'true']],
    [{ a: -1, _id: 1 }, ['true', 'object', 'emoji', 'text', 'list', 'two', 'missing', 'null', 'empty']],
    [{ 'b.c': 1, _id: -1 }, ['two', 'true', 'text', 'object', 'null', 'missing', 'list', 'empty', 'emoji']],
    [{ 'b.c': -1, _id: -1 }, ['emoji', 'two', 'true', 'text', 'object', 'null', 'missing', 'list', 'empty']],
  ])('sorts by %j', async (sort, expected) => {
    const rows = [
      { _id: 'true', a: true }, { _id: 'object', a: {} }, { _id: 'emoji', a: '\u{1f600}', b: [{ c: 1 }, { c: 5 }] }, { _id: 'text', a: '\uffee', b: 5 }, { _id: 'two', a: 2, b: [[{ c: 1 }]] },
      { _id: 'list', a: [3, 1], b: [] }, { _id: 'null', a: null }, { _id: 'missing' }, { _id: 'empty', a: [] },
    ];
    expect((await run(rows, { $set: { n: 1 } }, { $sort: sort })).map(({ _id }) => _id)).toEqual(expected);
  });
});

describe('$match behind other stages', () => {
  const isInMemory = (filter: JsonObject) => !JSON.stringify(filter).includes('"$regex"');
  const ids = async (rows: readonly JsonObject[], filter: JsonObject) => (await run(rows, { $set: { behind: 1 } }, { $match: filter })).map(({ _id }) => _id);

  it.each(FILTER_CASES.filter(([, filter]) => isInMemory(filter)))('means what MongoDB means: %s', async (_what, filter, matching, other) => {
    const rows = [...matching, ...other].map((v, _id) => ({ _id, v }));
    expect(await ids(rows, filter)).toEqual(matching.map((_, _id) => _id));
  });

  it('finds what filters of all sorts mean: 150 documents, 200 filters', async () => {
    const rows = fc.sample(wildDocument, { seed: 3, numRuns: 150 }).map((document, _id): JsonObject => ({ ...document, _id }));
    await fc.assert(
      fc.asyncProperty(wildFilter.filter(isInMemory), async (filter) => {
        expect({ filter, found: await ids(rows, filter) }).toEqual({ filter, found: rows.filter((row) => matches(row, filter)).map(({ _id }) => _id) });
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  it.each([
    [{ _ts: { $gt: '2026-01-01' } }, [2]], [{ _ts: '2026-01-01' }, [1]], [{ _ts: { $ne: '2026-01-01T00:00:00Z' } }, [2]], [{ _ts: { $in: ['2026-01-01', 5] } }, [1]],
    [{ _ts: { $lte: 'no date' } }, []], [{ _ts: { $gte: 5 } }, []], [{ _ts: { $type: 'date' } }, [1, 2]], [{ _ts: { $exists: false } }, []], [{ _ts: null }, []],
  ])('takes ISO text beside a date for one: %j', async (filter, expected) => {
    expect(await ids([{ _id: 1, _ts: '2026-01-01T00:00:00.000Z' }, { _id: 2, _ts: '2026-01-02T00:00:00.000Z' }], filter)).toEqual(expected);
  });
});

describe('pipelines that grow', () => {
  it.each([
    ['a list', { x: ['$x', '$x'] }, 'too many values'],
    ['a text', { x: { $concat: ['$x', '$x'] } }, 'too many values'],
    ['joined lists', { list: { $concatArrays: ['$list', '$list'] } }, 'at most 1000000 elements'],
  ])('refuses %s that each of 45 stages doubles', async (_what, fields, naming) => {
    const doubled = Array.from({ length: 45 }, () => ({ $set: fields }));
    await expect(run([{ x: 'abcdefgh', list: [1] }], ...doubled)).rejects.toThrow(naming);
    expect(await run([{ x: 'abcdefgh', list: [1] }], ...doubled.slice(0, 4))).toHaveLength(1);
  });

  it('refuses more than a million unwound rows, whatever they hold', async () => {
    const growth = new Growth();
    for (let row = 0; row < 1_000_000; row += 1) growth.row(row, true);
    growth.row(1, false);
    expect(() => growth.row(1, true)).toThrow('unwinds at most 1000000 rows');
    expect(await run([{ a: [1, 2], b: [3, 4] }], { $unwind: '$a' }, { $unwind: '$b' })).toHaveLength(4);
  });
});
