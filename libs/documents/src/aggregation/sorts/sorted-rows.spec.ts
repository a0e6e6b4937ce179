import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SmallDisk } from '../../../test/small-disk';
import { Deadline } from '../../deadline';
import { orderOf } from '../order';
import { HeldRows } from '../rows/held-rows';
import { Pace } from '../rows/pace';
import { SortSpace } from './sort-space';
import type { SortedRow } from './sorted-row';
import { SortedRows } from './sorted-rows';

const BYTES = 1_000;

async function all<T>(rows: SortedRows<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const some of rows.inOrder()) found.push(...some.map(({ row }) => row));
  await rows.close();
  return found;
}

/** Rows of some bytes each, sorted by a number; counts the steps of joining. */
async function sorted(numbers: readonly number[], most: number) {
  let steps = 0;
  const turn = { get isOver() { steps += 1; return false; }, pass: async () => undefined };
  const rows = new SortedRows([-1], { held: new HeldRows(), pace: new Pace(new Deadline(), turn), share: new SortSpace().share() }, most);
  for (const [came, n] of numbers.entries()) await rows.add({ row: { n, came }, values: [n], bytes: BYTES });
  return { rows: await all(rows), steps };
}

describe('sorted rows', () => {
  const numbers = fc.sample(fc.integer({ min: 0, max: 50 }), { seed: 4, numRuns: 60_000 });
  const expected = numbers.map((n, came) => ({ n, came })).toSorted((one, other) => other.n - one.n || one.came - other.came);

  it.each([1, 7, 1_999, 2_000, 2_001, 20_000, 60_000])('are the first %d of all, ties in the order in which they came', async (most) => {
    expect((await sorted(numbers, most)).rows).toEqual(expected.slice(0, most));
  });

  it('cost about as much for each row, however many are kept', async () => {
    // 20,000 of them are joined with the next 8 MB, and not with the next 2,000 rows, again and again.
    expect((await sorted(numbers, 20_000)).steps).toBeLessThan(10 * numbers.length);
    expect((await sorted(numbers, 10)).steps).toBeLessThan(numbers.length);
  });
});

describe('more sorted rows than may be held', () => {
  const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom<unknown>(undefined, null, Number.NaN, -0, 'a', 'ä', true, [], [1], { a: 1 }, new Date(0), new Date(5)));
  let folder: string;
  let disk: SmallDisk;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-rows-'));
    disk = new SmallDisk(folder);
  });
  afterEach(() => {
    expect([disk.open, readdirSync(folder)]).toEqual([0, []]);
    rmSync(folder, { recursive: true });
  });

  const rowsOf = (count: number): SortedRow<number>[] => Array.from({ length: count }, (_, n) => ({ row: n, values: [(7 * n) % 11], bytes: 100 }));
  const inOrder = (rows: readonly SortedRow<number>[]) => rows.toSorted((one, other) => orderOf(one.values[0], other.values[0])).map(({ row }) => row);
  const made = <T>(held: HeldRows, { most = Number.POSITIVE_INFINITY, pace = new Pace(), space = disk as SortSpace, directions = [1] as readonly (1 | -1)[] } = {}) =>
    new SortedRows<T>(directions, { held, pace, share: space.share() }, most);
  const addAll = async <T>(sort: SortedRows<T>, rows: readonly SortedRow<T>[]) => {
    for (const row of rows) await sort.add(row);
  };

  it('are in the order in which they would be in memory, whatever they are sorted by, and as they were', async () => {
    const directions = fc.constantFrom<readonly (1 | -1)[]>([1], [-1], [1, -1], [-1, -1]);
    await fc.assert(fc.asyncProperty(fc.array(fc.tuple(value, value), { maxLength: 250 }), directions, async (pairs, keys) => {
      const rows = pairs.map((values, came) => ({ row: { came, values, inside: { of: values } }, values, bytes: 100 }));
      const [memory, written] = [made<(typeof rows)[number]['row']>(new HeldRows(), { directions: keys }), made<(typeof rows)[number]['row']>(new HeldRows(1_500), { directions: keys })];
      for (const row of rows) await Promise.all([memory.add(row), written.add(row)]);
      expect(await all(written)).toStrictEqual(await all(memory));
    }), { numRuns: 60, seed: 3 });
  });

  it('go to disk when they are too many, and no sooner', async () => {
    const held = new HeldRows(5_000);
    const [few, many] = [made<number>(held), made<number>(held)];
    await addAll(few, rowsOf(50));
    expect(disk.open).toBe(0);
    expect(await all(few)).toEqual(inOrder(rowsOf(50)));
    await addAll(many, rowsOf(51));
    expect([disk.open, many.size]).toEqual([1, 51]);
    expect(await all(many)).toEqual(inOrder(rowsOf(51)));
    // Nothing is held any more: one row may take all.
    held.take(5_000);
  });

  it.each([1, 30, 60, 400, 999, 1_000, 1_001])('are the first %d of all where no more are wanted', async (most) => {
    const sort = made<number>(new HeldRows(5_000), { most });
    await addAll(sort, rowsOf(1_000));
    // What is let go of makes room enough while half of what may be held is more than is wanted.
    expect(disk.open).toBe(most < 25 ? 0 : 1);
    expect(sort.size).toBe(Math.min(most, 1_000));
    expect(await all(sort)).toEqual(inOrder(rowsOf(1_000)).slice(0, most));
  });

  it('go to disk by an eighth of what may be held where others hold all the rest, and are refused where one alone is more', async () => {
    const held = new HeldRows(8_000);
    held.take(8_000);
    const sort = made<number>(held);
    await addAll(sort, rowsOf(10));
    expect(disk.open).toBe(0);
    await addAll(sort, rowsOf(990));
    expect(disk.open).toBe(1);
    await expect(sort.add({ row: 0, values: [0], bytes: 1_001 })).rejects.toMatchObject({ status: 400, code: 'limit_exceeded', message: expect.stringContaining('more than 8000 bytes') as string });
    expect(await all(sort)).toEqual(inOrder([...rowsOf(10), ...rowsOf(990)]));
  });

  it('give the disk back when they are read half way, or not at all', async () => {
    for (const isBegun of [true, false]) {
      const sort = made<number>(new HeldRows(5_000));
      await addAll(sort, rowsOf(1_000));
      const reader = sort.inOrder();
      if (isBegun) expect((await reader.next()).value).toHaveLength(100);
      await reader.return();
      await sort.close();
      expect(disk.open).toBe(0);
    }
  });

  it('are refused where they are more than the disk may have', async () => {
    const sort = made<number>(new HeldRows(5_000), { space: new SortSpace(folder, 4_000) });
    await expect(addAll(sort, rowsOf(1_000))).rejects.toMatchObject({ status: 400, code: 'limit_exceeded', message: expect.stringContaining('1000 bytes of disk') as string });
    await sort.close();
  });

  it('are 507 where the disk is full', async () => {
    disk = new SmallDisk(folder, 1_500);
    const sort = made<number>(new HeldRows(5_000));
    await expect(addAll(sort, rowsOf(1_000))).rejects.toMatchObject({ status: 507, code: 'insufficient_storage' });
    await sort.close();
  });

  it('are gone on with no longer than till the deadline, and for nobody who has gone', async () => {
    let now = 0;
    const gone = new AbortController();
    const paceUntil = (signal?: AbortSignal) => new Pace(new Deadline(60_000, () => now, signal), { isOver: false, pass: async () => undefined });
    const [late, left] = [made<number>(new HeldRows(5_000), { pace: paceUntil() }), made<number>(new HeldRows(5_000), { pace: paceUntil(gone.signal) })];
    for (const sort of [late, left]) await addAll(sort, rowsOf(70));
    const readers = [late.inOrder(), left.inOrder()] as const;
    gone.abort();
    await expect(readers[1].next()).rejects.toMatchObject({ code: 'request_timeout' });
    await expect(addAll(left, rowsOf(70))).rejects.toMatchObject({ code: 'request_timeout' });
    now = 60_000;
    await expect(readers[0].next()).rejects.toMatchObject({ code: 'query_too_slow' });
    await expect(addAll(late, rowsOf(70))).rejects.toMatchObject({ code: 'query_too_slow' });
    for (const sort of [late, left]) await sort.close();
  });
});
