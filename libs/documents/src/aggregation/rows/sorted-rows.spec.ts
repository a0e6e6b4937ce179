import fc from 'fast-check';
import { Deadline } from '../../deadline';
import { HeldRows } from './held-rows';
import { Pace } from './pace';
import { SortedRows } from './sorted-rows';

const BYTES = 1_000;

/** Rows of some bytes each, sorted by a number; counts the steps of joining. */
async function sorted(numbers: readonly number[], most: number) {
  let steps = 0;
  const turn = { get isOver() { steps += 1; return false; }, pass: async () => undefined };
  const held = new HeldRows();
  const rows = new SortedRows([-1], { held, pace: new Pace(new Deadline(), turn), most });
  for (const [came, n] of numbers.entries()) await rows.add({ row: { n, came }, values: [n], bytes: BYTES });
  return { rows: (await rows.all()).map(({ row }) => row), steps };
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
