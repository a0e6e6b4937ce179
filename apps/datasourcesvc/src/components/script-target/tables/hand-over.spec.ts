import { HandOver } from './hand-over';

/** What has happened until nothing more happens by itself. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('what is handed over', () => {
  it('is given when its taker comes for the next, and is over when it is ended', async () => {
    const hand = new HandOver<number>();
    const events: string[] = [];
    const giving = [1, 2].map((value) => hand.give(value).then(() => events.push(`given ${value}`)));
    const taker = hand[Symbol.asyncIterator]();
    await settled();
    expect(events).toEqual([]);
    expect(await taker.next()).toEqual({ done: false, value: 1 });
    await settled();
    expect(events).toEqual([]);
    expect(await taker.next()).toEqual({ done: false, value: 2 });
    await settled();
    expect(events).toEqual(['given 1']);
    const last = taker.next();
    await Promise.all(giving);
    hand.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('wakes a taker that waits, and has a failure thrown there', async () => {
    const hand = new HandOver<number>();
    const taker = hand[Symbol.asyncIterator]();
    const first = taker.next();
    await settled();
    void hand.give(7);
    expect(await first).toEqual({ done: false, value: 7 });
    const second = taker.next();
    await settled();
    hand.fail(new Error('cut'));
    await expect(second).rejects.toThrow('cut');
  });
});
