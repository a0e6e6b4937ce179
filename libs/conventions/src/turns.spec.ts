import fc from 'fast-check';
import { jsonInTurns, mapInTurns } from './turns';

/** How often others had a turn while this went on. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => { turns += 1; if (!isOver) setImmediate(count); };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}
const busy = (until: number) => { while (performance.now() < until); };

describe('work in turns', () => {
  it('gives what the work gives, and lets others in between', async () => {
    const list = Array.from({ length: 8 }, (_, n) => n);
    let squares: number[] = [];
    const turns = await turnsDuring(async () => { squares = await mapInTurns(list, (n, index) => { busy(performance.now() + 12); return n * index; }); });
    expect(squares).toEqual(list.map((n) => n * n));
    expect(turns).toBeGreaterThanOrEqual(7);
  });

  it('lets others in after each turn of whoever takes long, not after one of each', async () => {
    const long = () => mapInTurns([1, 2, 3, 4], () => busy(performance.now() + 12));
    expect(await turnsDuring(() => Promise.all([long(), long(), long(), long(), long()]))).toBeGreaterThanOrEqual(15);
  });

  it('rests after a step that could not be cut as long as that took, whoever goes on', async () => {
    const steps: { readonly began: number; readonly ended: number }[] = [];
    const step = () => {
      const began = performance.now();
      busy(began + 80);
      steps.push({ began, ended: performance.now() });
    };
    await Promise.all([mapInTurns([1, 2, 3], step), mapInTurns([1, 2, 3], step)]);
    const rests = steps.slice(1).map(({ began }, before) => began - (steps[before]?.ended ?? 0));
    // The first of each took no turn.
    expect(rests.slice(2).map((ms) => ms >= 70)).toEqual([true, true, true]);
  });

  it('writes the JSON that JSON.stringify writes', async () => {
    await fc.assert(fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
      expect(await jsonInTurns(value)).toBe(JSON.stringify(value));
    }));
    const odd = { a: undefined, b: [undefined, { c: undefined }], d: new Date(0), e: { toJSON: () => 'told' } };
    expect(await jsonInTurns(odd)).toBe(JSON.stringify(odd));
  });

  it('lets others in between while it writes a long list', async () => {
    const body = Array.from({ length: 200_000 }, (_, n) => ({ n, text: `text of ${n}`, list: [n, n] }));
    expect(await turnsDuring(() => jsonInTurns({ itemId: 'x', body }))).toBeGreaterThan(2);
  });
});
