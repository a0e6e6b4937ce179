import { Pace } from './pace';

describe('a pace', () => {
  it('lets some come at once, then one after the other, and some again after a rest', () => {
    let now = 1_000_000;
    const pace = new Pace({ atOnce: 3, perSecond: 10 }, () => now);
    const next = (count: number) => Array.from({ length: count }, () => Math.round(pace.wait()));
    expect(next(5)).toEqual([0, 0, 0, 100, 200]);
    now += 200;
    expect(next(1)).toEqual([100]);
    now += 60_000;
    expect(next(4)).toEqual([0, 0, 0, 100]);
  });
});
