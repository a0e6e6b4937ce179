import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { SmallDisk } from '../../../test/small-disk';
import { Deadline } from '../../deadline';
import { type JoinBounds, JOINED_RUNS } from '../bounds';
import { orderOf } from '../order';
import { Pace } from '../rows/pace';
import type { RowOrder, SortedRow } from './sorted-row';
import { WrittenRuns } from './written-runs';

interface Came {
  readonly run: number;
  readonly place: number;
  readonly more?: unknown;
}

const order: RowOrder = (one, other) => orderOf(one.values[0], other.values[0]);
const scalar = fc.constantFrom<unknown>(
  undefined, null, Number.NaN, -0, 0, 0.1, 1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 2 ** 53 + 2, '', 'a', 'ä', '😀', '\uffee', '\ud800', '\udc00x', true, false, new Date(0), new Date(-1.5e12),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'b', '1', ''), scalar, { maxKeys: 3, noNullPrototype: true }), fc.constantFrom<unknown>({ a: { b: [{ c: undefined }] } }, [[], [[]]], JSON.parse('{"__proto__":{"a":1},"b":2}')));

describe('runs on disk', () => {
  let folder: string;
  let disk: SmallDisk;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'twinyard-runs-'));
    disk = new SmallDisk(folder);
  });
  afterEach(() => {
    expect([disk.open, readdirSync(folder)]).toEqual([0, []]);
    rmSync(folder, { recursive: true });
  });

  /** Of runs of values as they come, whose rows weigh `bytes` each: written, joined, and read. */
  async function joined(runs: readonly (readonly unknown[])[], { bounds = JOINED_RUNS, most = Number.POSITIVE_INFINITY, bytes = 100 }: { readonly bounds?: JoinBounds; readonly most?: number; readonly bytes?: number } = {}) {
    const written = new WrittenRuns<Came>(order, { pace: new Pace(), share: disk.share(), most, bounds });
    const all: SortedRow<Came>[] = [];
    for (const [run, values] of runs.entries()) {
      const rows = values.map((each, place) => ({ row: { run, place, more: each }, values: [each], bytes })).sort(order);
      all.push(...rows);
      await written.add(rows);
    }
    const found: SortedRow<Came>[] = [];
    for await (const some of written.inOrder()) found.push(...some);
    const files = disk.open;
    await written.close();
    return { found, files, expected: all.toSorted(order).slice(0, most) };
  }

  it('are one, ties in the order in which they came, of values of any type as they were', async () => {
    const bounds = fc.record({ runs: fc.integer({ min: 2, max: 4 }), bytes: fc.constantFrom(1, 1_000, 1_000_000), blockBytes: fc.constantFrom(1, 250, 100_000) });
    await fc.assert(fc.asyncProperty(fc.array(fc.array(value, { maxLength: 12 }), { maxLength: 25 }), bounds, async (runs, terms) => {
      const { found, expected } = await joined(runs, { bounds: terms });
      expect(found).toStrictEqual(expected);
    }), { numRuns: 60, seed: 9 });
  });

  it('are few files, however many runs there are', async () => {
    const runs = Array.from({ length: 100 }, (_, run) => Array.from({ length: 10 }, (__, place) => (7 * run + 3 * place) % 23));
    const { found, expected, files } = await joined(runs, { bounds: { runs: 4, bytes: 1_000_000, blockBytes: 250 } });
    expect(found).toStrictEqual(expected);
    // 100 of them, by fours, four times: 4 ** 3 < 100 < 4 ** 4.
    expect(files).toBe(4);
  });

  it('are joined by twos where rows are so heavy that more of them do not fit into memory', async () => {
    const runs = Array.from({ length: 8 }, (_, run) => [run % 3, run % 2]);
    const { found, expected, files } = await joined(runs, { bounds: { runs: 100, bytes: 1_000, blockBytes: 250 }, bytes: 600 });
    expect(found).toStrictEqual(expected);
    // 8, 4, 2, 1.
    expect(files).toBe(4);
  });

  it.each([1, 5, 49, 50, 51])('give the first %d of all where no more are wanted', async (most) => {
    const runs = Array.from({ length: 10 }, (_, run) => Array.from({ length: 5 }, (__, place) => (run + place) % 4));
    const { found, expected } = await joined(runs, { bounds: { runs: 3, bytes: 1_000_000, blockBytes: 250 }, most });
    expect(found).toHaveLength(Math.min(most, 50));
    expect(found).toStrictEqual(expected);
  });

  it('give their disk back as they are joined, and all of it when half of them was read', async () => {
    const space = disk.share();
    const written = new WrittenRuns<Came>(order, { pace: new Pace(), share: space, most: Number.POSITIVE_INFINITY, bounds: { runs: 2, bytes: 1_000_000, blockBytes: 250 } });
    for (let run = 0; run < 5; run += 1) await written.add(Array.from({ length: 200 }, (_, place) => ({ row: { run, place }, values: [place], bytes: 100 })));
    const reader = written.inOrder();
    await reader.next();
    await reader.return();
    expect(disk.open).toBeGreaterThan(0);
    await written.close();
    // All that one pipeline may have.
    space.take(2_000_000_000);
  });

  it('are worked at until the deadline: as they are written, joined and read', async () => {
    let now = 0;
    const pace = new Pace(new Deadline(60_000, () => now), { isOver: false, pass: async () => undefined });
    const bounds = { runs: 100, bytes: 1_000_000, blockBytes: 250 };
    const rows = Array.from({ length: 50 }, (_, place) => ({ row: { run: 0, place }, values: [place], bytes: 100 }));
    const written = new WrittenRuns<Came>(order, { pace, share: disk.share(), most: Number.POSITIVE_INFINITY, bounds });
    await written.add(rows);
    await written.add(rows);
    const reader = written.inOrder();
    await reader.next();
    now = 60_000;
    await expect(reader.next()).rejects.toMatchObject({ code: 'query_too_slow' });
    await expect(written.inOrder().next()).rejects.toMatchObject({ code: 'query_too_slow' });
    await expect(written.add(rows)).rejects.toMatchObject({ code: 'query_too_slow' });
    await written.close();
  });

  it('let others have their turn between any two rows', async () => {
    let passed = 0;
    const pace = new Pace(new Deadline(), { isOver: true, pass: async () => void (passed += 1) });
    const written = new WrittenRuns<Came>(order, { pace, share: disk.share(), most: Number.POSITIVE_INFINITY });
    await written.add(Array.from({ length: 500 }, (_, place) => ({ row: { run: 0, place }, values: [place], bytes: 100 })));
    for await (const some of written.inOrder()) expect(some.length).toBeLessThanOrEqual(100);
    expect(passed).toBeGreaterThanOrEqual(500);
    await written.close();
  });
});
