import { FairQueue } from './fair-queue';

interface Entry {
  readonly id: number;
  readonly owners: readonly string[];
  readonly bytes: number;
}

describe('the queue of scripts', () => {
  let queue: FairQueue<Entry>;
  beforeEach(() => { queue = new FairQueue({ total: 5, perOwner: 3, bytes: 1_000 }); });
  const entry = (id: number, ...owners: string[]): Entry => ({ id, owners, bytes: 10 });

  it('is in order of arrival among owners that have as much', () => {
    [entry(1, 'a'), entry(2, 'b'), entry(3, 'a')].forEach((each) => queue.add(each));
    expect([queue.next()?.id, queue.next()?.id, queue.next()?.id, queue.next()?.id]).toEqual([1, 2, 3, undefined]);
  });

  it('gives the next place to the owner with the fewest, also when another names many owners', () => {
    queue.begins(entry(0, 'a'));
    [entry(1, 'a'), entry(2, 'a', 'c'), entry(3, 'b')].forEach((each) => queue.add(each));
    expect(queue.next()?.id).toBe(3);
    queue.ends(entry(0, 'a'));
    expect(queue.next()?.id).toBe(1);
  });

  it('takes no more than the share of an owner, no more than there is room, and as many again when they are gone', () => {
    expect([1, 2, 3].map((id) => queue.add(entry(id, 'a')))).toEqual([undefined, undefined, undefined]);
    expect(queue.add(entry(4, 'a'))).toBe('share');
    expect(queue.add(entry(5, 'b', 'a'))).toBe('share');
    expect([6, 7].map((id) => queue.add(entry(id, 'b')))).toEqual([undefined, undefined]);
    expect(queue.add(entry(8, 'c'))).toBe('full');
    expect(queue.next()?.id).toBe(1);
    expect(queue.add(entry(9, 'a'))).toBeUndefined();
  });

  it('gives an owner no more places than it may have, whoever else waits', () => {
    const narrow = new FairQueue<Entry>({ total: 5, perOwner: 5, bytes: 1_000, places: 2 });
    [0, 0].forEach(() => narrow.begins(entry(0, 'a')));
    [entry(1, 'a'), entry(2, 'b'), entry(3, 'b', 'a')].forEach((each) => narrow.add(each));
    expect([narrow.mayBegin(entry(4, 'a')), narrow.mayBegin(entry(4, 'c'))]).toEqual([false, true]);
    expect([narrow.next()?.id, narrow.next()]).toEqual([2, undefined]);
    narrow.ends(entry(0, 'a'));
    expect(narrow.next()?.id).toBe(1);
    expect(narrow.empty().map(({ id }) => id)).toEqual([3]);
    expect([narrow.empty(), narrow.next()]).toEqual([[], undefined]);
  });

  it('holds no more than so many bytes, and for one owner half of them', () => {
    const large = (id: number, bytes: number, ...owners: string[]): Entry => ({ id, owners, bytes });
    expect([queue.add(large(1, 400, 'a')), queue.add(large(2, 200, 'a')), queue.add(large(3, 500, 'b')), queue.add(large(4, 101, 'c')), queue.add(large(5, 100, 'c'))])
      .toEqual([undefined, 'share', undefined, 'full', undefined]);
    expect(queue.next()?.id).toBe(1);
    expect(queue.add(large(6, 400, 'a'))).toBeUndefined();
  });
});
