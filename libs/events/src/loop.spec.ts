import { Loop, type LoopOptions } from './loop';

const EVERY_MS = 200;

/** A loop with as much to do as `left` says, on a clock of the test's own. */
function loopOver(left: () => number, options: Partial<LoopOptions> = {}) {
  const rounds: number[] = [];
  const began = Date.now();
  const loop = new Loop({
    step: () => {
      rounds.push(Date.now() - began);
      return Promise.resolve(left());
    },
    idleMs: 60_000, pace: { burst: 3, everyMs: EVERY_MS, full: 10 }, onError: (error) => { throw error; }, ...options,
  });
  return { loop, rounds };
}

describe('the pace of a loop', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('lets some rounds that find little follow at once, and those after them one at a time, however often it is woken', async () => {
    const { loop, rounds } = loopOver(() => 1);
    loop.start();
    for (let ms = 0; ms < 3 * EVERY_MS; ms += 10) {
      loop.wake();
      await jest.advanceTimersByTimeAsync(10);
    }
    expect(rounds).toEqual([0, 0, 0, 0, EVERY_MS, 2 * EVERY_MS, 3 * EVERY_MS]);
    await stop(loop);
  });

  it('holds nobody up who comes after a rest', async () => {
    let found = 1;
    const { loop, rounds } = loopOver(() => found);
    loop.start();
    await jest.advanceTimersByTimeAsync(0);
    found = 0;
    await jest.advanceTimersByTimeAsync(10 * EVERY_MS);
    const before = rounds.length;
    loop.wake();
    await jest.advanceTimersByTimeAsync(0);
    expect(rounds.slice(before)).toEqual([10 * EVERY_MS]);
    await stop(loop);
  });

  it('does not rest while rounds are full', async () => {
    let full = 20;
    const { loop, rounds } = loopOver(() => ((full -= 1) >= 0 ? 10 : 0));
    loop.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(rounds).toEqual(Array.from({ length: 21 }, () => 0));
    await stop(loop);
  });
});

async function stop(loop: Loop): Promise<void> {
  const stopped = loop.stop();
  await jest.advanceTimersByTimeAsync(0);
  await stopped;
}
