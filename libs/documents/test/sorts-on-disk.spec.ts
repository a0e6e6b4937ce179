import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { JsonObject } from '../src';
import { parsePipeline } from '../src/aggregation/parse-pipeline';
import { Pace } from '../src/aggregation/rows/pace';
import { type RunOptions, runStages } from '../src/aggregation/run-stages';
import { Deadline } from '../src/deadline';
import { judged } from './mingo-judge';
import { SmallDisk } from './small-disk';

const COUNT = 2_000;
/** Of these rows fewer than a hundred. */
const HELD_BYTES = 20_000;
const row = (n: number): JsonObject => ({ n, k: (31 * n) % 17, list: [n % 3, n % 5], at: new Date(86_400_000 * (n % 7)).toISOString(), ...(n % 4 > 0 && { some: { of: n % 4 } }) });
const ROWS = Array.from({ length: COUNT }, (_, n) => row(n));
const isDate = (path: string) => path === 'at';

const stagesOf = (pipeline: readonly JsonObject[]) => parsePipeline([{ $skip: 0 }, ...pipeline]).stages;
async function* inParts(rows: readonly JsonObject[]): AsyncGenerator<readonly JsonObject[]> {
  for (let at = 0; at < rows.length; at += 150) yield rows.slice(at, at + 150);
}

describe('pipelines that sort more than they may hold', () => {
  let folder: string;
  let disk: SmallDisk;
  let most = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-pipelines-'));
    disk = new SmallDisk(folder);
    most = 0;
  });
  afterEach(() => {
    expect([disk.open, readdirSync(folder)]).toEqual([0, []]);
    rmSync(folder, { recursive: true });
  });

  const run = (pipeline: readonly JsonObject[], more: Partial<RunOptions> = {}, rows: AsyncIterable<readonly JsonObject[]> = inParts(ROWS)) =>
    runStages(rows, stagesOf(pipeline), { isDate, heldBytes: HELD_BYTES, sortShare: disk.share(), ...more });
  const inMemory = (pipeline: readonly JsonObject[]) => run(pipeline, { heldBytes: 1_000_000_000 });
  /** As the stages before have given them, and looks how many files are open meanwhile. */
  async function* watched(rows: readonly JsonObject[]): AsyncGenerator<readonly JsonObject[]> {
    for await (const some of inParts(rows)) {
      most = Math.max(most, disk.open);
      yield some;
    }
    most = Math.max(most, disk.open);
  }

  it.each<readonly [string, readonly JsonObject[]]>([
    ['one number', [{ $sort: { k: -1 } }]],
    ['dates, which are text again in the answer', [{ $sort: { at: -1 } }]],
    ['what is computed', [{ $set: { next: { $dateAdd: { startDate: '$at', unit: 'hour', amount: '$k' } } } }, { $sort: { next: 1 } }]],
    ['arrays, and what is not there', [{ $sort: { list: -1, 'some.of': 1 } }]],
    ['two times', [{ $sort: { k: 1 } }, { $set: { more: { $mod: ['$n', 5] } } }, { $sort: { more: -1 } }]],
    ['unwound rows', [{ $unwind: '$list' }, { $sort: { list: 1, n: -1 } }]],
    ['groups', [{ $group: { _id: { $mod: ['$n', 60] }, at: { $max: '$at' }, count: { $sum: 1 } } }, { $sort: { at: -1, _id: 1 } }]],
    ['what comes behind $skip', [{ $sort: { k: 1, n: -1 } }, { $skip: 300 }]],
    ['the first of many', [{ $sort: { k: 1, n: -1 } }, { $skip: 300 }, { $limit: 900 }]],
  ])('sort by %s as in memory', async (_what, pipeline) => {
    expect(await run(pipeline, {}, watched(ROWS))).toEqual(await inMemory(pipeline));
    if (!('$group' in (pipeline[0] ?? {}))) expect(most).toBeGreaterThan(0);
  });

  it('sort as mingo does', async () => {
    const key = fc.constantFrom('n', 'k', 'some.of').chain((name) => fc.constantFrom<JsonObject>({ [name]: 1 }, { [name]: -1 }));
    await fc.assert(fc.asyncProperty(fc.array(fc.nat({ max: COUNT }), { maxLength: 600 }), key, async (numbers, $sort) => {
      const rows = numbers.map(row);
      expect(await run([{ $sort }], { heldBytes: 5_000 }, inParts(rows))).toEqual(judged([{ $sort }], rows));
    }), { numRuns: 25, seed: 11 });
  });

  it('cut rows into buckets as in memory', async () => {
    for (const more of [{}, { granularity: 'R10' }, { granularity: 'POWERSOF2' }]) {
      const pipeline = [{ $bucketAuto: { groupBy: { $add: ['$k', 1] }, buckets: 5, ...more, output: { count: { $sum: 1 }, first: { $first: '$n' }, latest: { $max: '$at' }, where: { $last: '$some' } } } }];
      expect(await run(pipeline, {}, watched(ROWS))).toEqual(await inMemory(pipeline));
      expect(most).toBeGreaterThan(0);
    }
  });

  it('need no disk for the first few of many rows', async () => {
    expect(await run([{ $sort: { k: 1, n: -1 } }, { $skip: 5 }, { $limit: 10 }], {}, watched(ROWS))).toHaveLength(10);
    expect(most).toBe(0);
  });

  it('give the disk back where a later stage wants no more, fails, or an answer is too heavy', async () => {
    const sort = { $sort: { k: 1 } };
    expect(await run([sort, { $set: { more: 1 } }, { $limit: 3 }], {}, watched(ROWS))).toHaveLength(3);
    await expect(run([sort, { $set: { more: { $add: ['$at', '$list'] } } }], {}, watched(ROWS))).rejects.toMatchObject({ code: 'invalid' });
    await expect(run([sort], { answerBytes: 10_000 }, watched(ROWS))).rejects.toMatchObject({ code: 'limit_exceeded' });
    await expect(run([sort, { $group: { _id: null, all: { $push: '$$ROOT' } } }], {}, watched(ROWS))).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect(most).toBe(1);
  });

  it('give the disk back where the store fails in the middle, with its own error', async () => {
    const fault = new TypeError('the store is at fault');
    const broken = async function* broken() {
      yield* watched(ROWS);
      throw fault;
    };
    await expect(run([{ $sort: { k: 1 } }], {}, broken())).rejects.toBe(fault);
    expect(most).toBe(1);
  });

  it('end with their minute, and with their caller', async () => {
    let now = 0;
    const gone = new AbortController();
    const pace = (signal?: AbortSignal) => new Pace(new Deadline(60_000, () => now, signal));
    const ending = async function* ending(end: () => void) {
      yield* watched(ROWS);
      end(); // all rows are there, most of them on disk
    };
    await expect(run([{ $sort: { k: 1 } }], { pace: pace(gone.signal) }, ending(() => gone.abort()))).rejects.toMatchObject({ code: 'request_timeout' });
    await expect(run([{ $sort: { k: 1 } }], { pace: pace() }, ending(() => void (now = 60_000)))).rejects.toMatchObject({ code: 'query_too_slow' });
    expect(most).toBe(1);
  });

  it('are 507 where the disk is full', async () => {
    disk = new SmallDisk(folder, 50_000);
    await expect(run([{ $sort: { k: 1 } }], {}, watched(ROWS))).rejects.toMatchObject({ status: 507, code: 'insufficient_storage' });
    expect(most).toBe(1);
  });

  it('are refused in words where they are more than the disk may have', async () => {
    disk = new SmallDisk(folder, undefined, undefined, 80_000);
    await expect(run([{ $sort: { k: 1 } }], {}, watched(ROWS))).rejects.toMatchObject({ status: 400, code: 'limit_exceeded', message: expect.stringContaining('more than 20000 bytes of disk') as string });
  });
});
