import fc from 'fast-check';
import { judged } from '../../test/mingo-judge';
import { Deadline } from '../deadline';
import type { JsonObject } from '../document';
import { AT_ONCE, MAX_HELD_BYTES } from './bounds';
import { parsePipeline } from './parse-pipeline';
import { Pace } from './rows/pace';
import { type RunOptions, runStages } from './run-stages';

const isDate = () => false;
const value = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: -4, max: 9 }) }, { weight: 2, arbitrary: fc.constantFrom<unknown>(null, 'x', 'y', 0.5, [1, 2], true, { a: 1 }, { a: 1, b: 2 }) });
const rowsOfAll = fc.array(fc.record({ n: fc.integer({ min: 0, max: 6 }), v: value, list: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }) }, { requiredKeys: ['n'] }), { maxLength: 300 });
const path = fc.constantFrom('$n', '$v', '$none', '$list');
const accumulator = fc.oneof(
  fc.tuple(fc.constantFrom('$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp', '$first', '$last', '$push', '$addToSet'), path).map(([operator, operand]) => ({ [operator]: operand })),
  fc.constantFrom<JsonObject>({ $sum: 1 }, { $count: {} }, { $avg: { $add: ['$n', 1] } }, { $sum: { $cond: [{ $gt: ['$n', 3] }, 1, 0] } }, { $max: ['$n', '$v'] }),
  path.map((input) => ({ $percentile: { input, p: [0, 0.5, 0.95], method: 'approximate' } })),
);
const group = fc.record({ _id: fc.constantFrom<unknown>(null, '$n', '$v', '$list', { n: '$n', v: '$v' }, { $mod: ['$n', 3] }), one: accumulator, two: accumulator }, { requiredKeys: ['_id'] }).map(($group) => ({ $group }));
const stage = fc.oneof(
  group,
  fc.constantFrom<JsonObject>(
    { $project: { n: 1, twice: { $multiply: ['$n', 2] } } }, { $set: { v: { $ifNull: ['$v', 'none'] } } }, { $unset: 'v' }, { $unwind: '$list' }, { $unwind: { path: '$list', includeArrayIndex: 'at' } },
    { $sort: { n: 1 } }, { $sort: { n: -1 } }, { $count: 'rows' }, { $bucket: { groupBy: '$n', boundaries: [0, 2, 4, 100], default: 'none' } },
  ),
  fc.integer({ min: 1, max: 40 }).map(($limit) => ({ $limit })),
  fc.integer({ min: 0, max: 40 }).map(($skip) => ({ $skip })),
);

async function* inParts(rows: readonly JsonObject[], sizes: readonly number[]): AsyncGenerator<readonly JsonObject[]> {
  for (let [at, part] = [0, 0]; at < rows.length; part += 1) {
    const size = sizes[part % sizes.length] ?? 1;
    yield rows.slice(at, at + size);
    at += size;
  }
}
const stagesOf = (pipeline: readonly JsonObject[]) => parsePipeline([{ $skip: 0 }, ...pipeline]).stages;
const run = (rows: readonly JsonObject[], pipeline: readonly JsonObject[], more: Partial<RunOptions> = {}) => runStages(inParts(rows, [500]), stagesOf(pipeline), { isDate, ...more });
const numbered = (count: number, more: JsonObject = {}) => Array.from({ length: count }, (_, n): JsonObject => ({ n, ...more }));

/** Sums of squares differ in their last digits by the method. */
const asAnswered = (rows: readonly JsonObject[]) => JSON.parse(JSON.stringify(rows, (_, inner: unknown) => (typeof inner === 'number' ? Number(inner.toPrecision(12)) : inner))) as unknown;

/** A turn that is always over: it counts how often others had theirs. */
function busyTurn() {
  let passed = 0;
  const turn = { isOver: true, pass: async () => void (passed += 1) };
  return { turn, passed: () => passed };
}

describe('stages over rows that come in parts', () => {
  it('give what mingo gives of all rows at once', async () => {
    await fc.assert(fc.asyncProperty(rowsOfAll, fc.array(stage, { minLength: 1, maxLength: 3 }), fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 3 }), async (rows, pipeline, sizes) => {
      const $bucket = pipeline.some((one) => '$bucket' in one);
      // mingo's own buckets are others than MongoDB's: of them one stands for itself, in whatever parts.
      const expected = $bucket ? await runStages(inParts(rows, [1_000]), stagesOf(pipeline), { isDate }) : judged(pipeline, rows);
      const found = await runStages(inParts(rows, sizes), stagesOf(pipeline), { isDate });
      expect({ pipeline, found: asAnswered(found) }).toEqual({ pipeline, found: asAnswered(expected) });
    }), { numRuns: 400, seed: 12 });
  });

  it('cut rows into the buckets that mingo makes', async () => {
    const n = fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }) }, { weight: 1, arbitrary: fc.constantFrom(0.25, 64, 640, 1_024, 99_999) });
    const rows = fc.array(fc.record({ n, v: fc.integer() }), { minLength: 1, maxLength: 250 });
    const granularity = fc.constantFrom<JsonObject>({}, {}, {}, { granularity: 'POWERSOF2' }, { granularity: 'R5' }, { granularity: '1-2-5' }, { granularity: 'E24' });
    await fc.assert(fc.asyncProperty(rows, fc.integer({ min: 1, max: 12 }), granularity, fc.boolean(), async (all, buckets, more, hasOutput) => {
      const output = hasOutput ? { output: { most: { $max: '$v' }, all: { $push: '$v' }, n: { $sum: 1 } } } : {};
      const pipeline = [{ $bucketAuto: { groupBy: '$n', buckets, ...more, ...output } }];
      expect({ pipeline, found: asAnswered(await run(all, pipeline)) }).toEqual({ pipeline, found: asAnswered(judged(pipeline, all)) });
    }), { numRuns: 200, seed: 12 });
    expect(await run([], [{ $bucketAuto: { groupBy: '$n', buckets: 3 } }])).toEqual([]);
    const zeros = [0, 0, 0, 1, 5].map((zero) => ({ n: zero }));
    const powers = [{ $bucketAuto: { groupBy: '$n', buckets: 4, granularity: 'POWERSOF2' } }];
    expect(await run(zeros, powers)).toEqual(judged(powers, zeros));
  });

  it.each([-1, Number.POSITIVE_INFINITY, Number.NaN, 'x', null])('refuse a boundary of a series of numbers for %s, which would be looked for without end', async (n) => {
    for (const granularity of ['R5', 'POWERSOF2']) {
      await expect(run([{ n: 3 }, { n }], [{ $bucketAuto: { groupBy: '$n', buckets: 2, granularity } }])).rejects.toMatchObject({ status: 400, code: 'invalid', message: expect.stringContaining('granularity') as string });
    }
  });

  it('keep what is nothing in the lists of a bucket, and equal keys of whatever type in one', async () => {
    const rows = [{ n: 2, v: 1 }, { v: null }, { n: 'x', v: 3 }, { n: null, v: 2 }, { n: 2, v: 4 }];
    expect(await run(rows, [{ $bucketAuto: { groupBy: '$n', buckets: 3, output: { all: { $push: '$v' } } } }])).toEqual([
      { _id: { min: null, max: 2 }, all: [null, 2] }, { _id: { min: 2, max: 'x' }, all: [1, 4] }, { _id: { min: 'x', max: 'x' }, all: [3] },
    ]);
  });

  it('cut as many unwound rows into buckets as there are', async () => {
    const rows = [{ list: Array.from({ length: 200_000 }, (_, n) => n) }];
    expect(await run(rows, [{ $unwind: '$list' }, { $bucketAuto: { groupBy: '$list', buckets: 2 } }])).toEqual([{ _id: { min: 0, max: 100_000 }, count: 100_000 }, { _id: { min: 100_000, max: 199_999 }, count: 100_000 }]);
  });

  it('take each value for one in a set, of whatever type it is and whatever the order of its names is', async () => {
    const values = [new Date(5), new Date(5), { a: 1, b: [2] }, { b: [2], a: 1 }, { a: 1 }, null, null, [1, 2], [1, 2], [2, 1], 'null', 1, '1', true];
    const [row] = await run(values.map((v) => ({ v })), [{ $set: { w: 1 } }, { $group: { _id: null, all: { $addToSet: '$v' } } }]);
    expect(row?.['all']).toEqual(['1970-01-01T00:00:00.005Z', { a: 1, b: [2] }, { a: 1 }, null, [1, 2], [2, 1], 'null', 1, '1', true]);
  });

  it('find one of thousands of values, dates among them', async () => {
    const $in = [...Array.from({ length: 9_998 }, (_, n) => `v${n}`), '2026-01-01', null];
    const rows = [{ v: 'v9997' }, { v: 'other' }, { v: ['no', 'v3'] }, {}, { v: '2026-01-01' }, { at: '2026-01-01T00:00:00.000Z' }];
    expect(await run(rows, [{ $match: { v: { $in } } }, { $count: 'n' }])).toEqual([{ n: 5 }]);
    expect(await run(rows, [{ $match: { at: { $in: $in.slice(0, -1) } } }], { isDate: (name) => name === 'at' })).toEqual([{ at: '2026-01-01T00:00:00.000Z' }]);
  });

  it('hold no more than is said, whichever stage it is, and say so', async () => {
    const text = 'x'.repeat(100_000);
    const many = async function* many(part = 1): AsyncGenerator<readonly JsonObject[]> {
      for (let n = 0; n < (part * MAX_HELD_BYTES) / 100_000 + 10; n += 1) yield [{ n, text }];
    };
    const refused = expect.objectContaining({ status: 400, code: 'limit_exceeded', message: expect.stringContaining(`more than ${MAX_HELD_BYTES} bytes`) as string }) as Error;
    const whole = { $push: '$$ROOT' };
    for (const pipeline of [
      [{ $group: { _id: null, all: whole } }, { $count: 'n' }], [{ $group: { _id: { t: '$text', n: '$n' } } }, { $count: 'n' }],
      [{ $group: { _id: '$n', one: { $first: '$$ROOT' } } }], [{ $bucketAuto: { groupBy: '$n', buckets: 1, output: { all: whole } } }],
    ]) await expect(runStages(many(), stagesOf(pipeline), { isDate })).rejects.toEqual(refused);
    expect(await runStages(many(), stagesOf([{ $sort: { n: -1 } }, { $limit: 2 }, { $project: { n: 1 } }]), { isDate })).toHaveLength(2);
    expect(await runStages(many(), stagesOf([{ $group: { _id: null, most: { $max: '$n' }, last: { $last: '$$ROOT' } } }]), { isDate })).toHaveLength(1);
    // Rows that are sorted go on on disk.
    expect(await runStages(many(), stagesOf([{ $sort: { n: 1 } }, { $count: 'n' }]), { isDate })).toHaveLength(1);
    // What has gone on to the next stage is not held by the one before.
    for (const first of [{ $sort: { n: -1 } }, { $group: { _id: '$n', all: whole } }, { $bucketAuto: { groupBy: '$n', buckets: 100_000, output: { all: whole } } }]) {
      expect(await runStages(many(0.4), stagesOf([first, { $sort: { _id: 1 } }, { $sort: { n: -1 } }, { $count: 'n' }]), { isDate })).toEqual([{ n: expect.any(Number) as number }]);
    }
  });

  it('give no answer whose JSON weighs more than is said', async () => {
    const rows = numbered(1_000, { text: 'x"ä'.repeat(300) });
    const bytes = Buffer.byteLength(JSON.stringify(rows));
    expect(await run(rows, [{ $match: { n: { $gte: 0 } } }], { answerBytes: bytes })).toHaveLength(1_000);
    await expect(run(rows, [{ $match: { n: { $gte: 0 } } }], { answerBytes: bytes - 1 })).rejects.toMatchObject({ status: 400, code: 'limit_exceeded' });
    await expect(run([{ text: 'x'.repeat(100_000) }], [{ $project: { all: ['$text', '$text'] } }], { answerBytes: 150_000 })).rejects.toMatchObject({ code: 'limit_exceeded' });
  });

  it('say that a pipeline cannot be run where it cannot, and leave a fault of the store what it is', async () => {
    await expect(run([{ n: 'text' }], [{ $set: { m: { $add: ['$n', 1] } } }])).rejects.toMatchObject({ status: 400, code: 'invalid' });
    await expect(run([{ n: 'text' }], [{ $group: { _id: { $divide: ['$n', 0] } } }])).rejects.toMatchObject({ status: 400, code: 'invalid' });
    const fault = new TypeError('the store is at fault');
    const broken = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fault) }) };
    await expect(runStages(broken, stagesOf([{ $group: { _id: null, n: { $sum: '$n' } } }]), { isDate })).rejects.toBe(fault);
  });

  it('read no further than they need, and no longer than a minute', async () => {
    let read = 0;
    const endless = async function* endless(): AsyncGenerator<readonly JsonObject[]> {
      for (;;) yield [{ n: (read += 1) }];
    };
    expect(await runStages(endless(), stagesOf([{ $limit: 3 }]), { isDate })).toHaveLength(3);
    expect(read).toBe(3);
    let now = 0;
    const pace = new Pace(new Deadline(60_000, () => (now += 1_000)));
    await expect(runStages(endless(), stagesOf([{ $count: 'n' }]), { isDate, pace })).rejects.toMatchObject({ status: 400, code: 'query_too_slow' });
    expect(read).toBeLessThan(100);
  });

  it.each<readonly [string, readonly JsonObject[]]>([
    ['$group', [{ $group: { _id: '$n' } }]], ['$sort', [{ $sort: { n: -1 } }]], ['$count', [{ $count: 'n' }, { $set: { m: 1 } }]], ['$bucketAuto', [{ $bucketAuto: { groupBy: '$n', buckets: 7 } }, { $set: { m: 1 } }]],
  ])('are no longer at it behind %s either', async (_what, pipeline) => {
    let now = 0;
    const source = async function* source(): AsyncGenerator<readonly JsonObject[]> {
      yield numbered(1_000);
      now = 60_000; // all rows are there, and so is the end of the minute
    };
    const pace = new Pace(new Deadline(60_000, () => now));
    await expect(runStages(source(), stagesOf(pipeline), { isDate, pace })).rejects.toMatchObject({ code: 'query_too_slow' });
  });

  it('let others have their turn between any two rows, and behind $unwind of one row between any two of many', async () => {
    const list = Array.from({ length: 10_000 }, (_, n) => n);
    for (const behind of [[{ $match: { list: -1 } }], [{ $set: { m: { $add: ['$list', 1] } } }, { $match: { m: -1 } }], [{ $group: { _id: '$list' } }, { $match: { _id: -1 } }]]) {
      const { turn, passed } = busyTurn();
      expect(await run([{ list }], [{ $unwind: '$list' }, ...behind], { pace: new Pace(new Deadline(), turn) })).toEqual([]);
      // Once where they are unwound and once behind it, at least.
      expect(passed()).toBeGreaterThanOrEqual(2 * list.length);
    }
  });

  it('look at the clock behind $unwind of one row', async () => {
    let [now, made] = [0, 0];
    const list = Array.from({ length: 10_000 }, (_, n) => n);
    const turn = { isOver: false, pass: async () => undefined };
    const clock = () => { made += 1; return (now += 1_000); };
    await expect(run([{ list }], [{ $unwind: '$list' }, { $match: { list: -1 } }], { pace: new Pace(new Deadline(60_000, clock), turn) })).rejects.toMatchObject({ code: 'query_too_slow' });
    // Before all of it was unwound.
    expect(made).toBeLessThan(list.length / AT_ONCE);
  });
});
