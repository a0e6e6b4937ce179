import { RunningTime } from './running-time';

describe('the time that a script has run', () => {
  let now: number;
  let time: RunningTime;
  beforeEach(() => {
    now = 1_000_000;
    time = new RunningTime(1_000, () => now);
  });
  const after = (ms: number) => {
    now += ms;
    return time.isOver();
  };

  it('is over when the steps add up to more than its limit', () => {
    expect([200, 200, 200, 200, 200].map(after)).toEqual([false, false, false, false, false]);
    expect(after(1)).toBe(true);
  });

  it('does not count that the process stood still', () => {
    expect([after(100), after(5_000), after(100)]).toEqual([false, false, false]);
    expect([after(250), after(250), after(50), after(1)]).toEqual([false, false, false, true]);
  });
});
