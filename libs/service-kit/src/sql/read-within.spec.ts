import { joinWithin, lightSlice, readWithin, SHARE, SHARE_PACKED_BYTES, type WeighedKey } from './read-within';

describe('rows up to a weight', () => {
  interface Key extends WeighedKey {
    readonly n: number;
  }
  const keysOf = (count: number, packed = 0): Key[] => Array.from({ length: count }, (_, n) => ({ n, packed }));
  const keys = keysOf(3 * SHARE);
  /** Ten bytes each, as JSON. */
  const rowOf = ({ n }: Key) => String(n).padStart(8, '0');
  const reading = () => jest.fn(async (some: readonly Key[]) => some.map(rowOf));
  const sizes = (read: jest.Mock) => (read.mock.calls as [readonly Key[]][]).map(([some]) => some.length);

  it('are read in shares, none behind the one with which it is reached', async () => {
    const read = reading();
    const { rows, isCut } = await readWithin(keys, 10 * (SHARE + 1), read);
    expect([rows.length, rows.at(-1), isCut]).toEqual([SHARE + 1, rowOf({ n: SHARE, packed: 0 }), true]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('are all of them where they are light, but for those that are gone', async () => {
    const { rows, isCut } = await readWithin(keys, 1e6, async (some) => some.filter(({ n }) => n % 2 === 0).map(rowOf));
    expect([rows.length, isCut]).toEqual([1.5 * SHARE, false]);
  });

  it('are one at least, and all up to the last byte', async () => {
    const light = (most: number, some = keys.slice(0, 3)) => readWithin([], most, reading(), some.map(rowOf));
    const rows = keys.slice(0, 3).map(rowOf);
    expect(await light(5)).toEqual({ rows: rows.slice(0, 1), isCut: true });
    expect(await light(29)).toEqual({ rows: rows.slice(0, 2), isCut: true });
    expect(await light(30)).toEqual({ rows, isCut: false });
    expect(await light(5, [])).toEqual({ rows: [], isCut: false });
  });

  it('of a page that was read at once are the first of it, and the total stays', () => {
    const rows = keys.slice(0, 3).map(rowOf);
    expect(lightSlice({ rows, total: 7 }, 29)).toEqual({ rows: rows.slice(0, 2), total: 7, isCut: true });
    expect(lightSlice({ rows, total: 7 }, 30)).toEqual({ rows, total: 7, isCut: false });
  });

  it('of a page that was read are joined with what belongs to them; where either leaves some out the page is cut, and the total stays', async () => {
    const rows = keys.slice(0, 3);
    const joined = (most: number, isCut?: boolean) => joinWithin({ rows, total: 7, ...(isCut !== undefined && { isCut }) }, most, () => undefined, reading());
    expect(await joined(29)).toEqual({ rows: rows.slice(0, 2).map(rowOf), total: 7, isCut: true });
    expect(await joined(30)).toEqual({ rows: rows.map(rowOf), total: 7, isCut: false });
    expect(await joined(30, true)).toMatchObject({ total: 7, isCut: true });
    const [heavy, light] = [reading(), reading()];
    await joinWithin({ rows, total: 3 }, 1e6, () => SHARE_PACKED_BYTES + 1, heavy);
    await joinWithin({ rows, total: 3 }, 1e6, () => undefined, light);
    expect([sizes(heavy), sizes(light)]).toEqual([[1, 1, 1], [3]]);
  });

  it('go on behind those that were read already, whose weight counts', async () => {
    const read = reading();
    expect(await readWithin(keys.slice(2), 40, read, keys.slice(0, 2).map(rowOf))).toEqual({ rows: keys.slice(0, 4).map(rowOf), isCut: true });
    expect(await readWithin(keys.slice(2), 15, reading(), keys.slice(0, 2).map(rowOf))).toEqual({ rows: keys.slice(0, 1).map(rowOf), isCut: true });
    expect(sizes(read)).toEqual([SHARE]);
  });

  it('are read few at a time where they may be heavy, one where each may be too heavy', async () => {
    const [thirds, huge] = [reading(), reading()];
    await readWithin(keysOf(8, Math.floor(SHARE_PACKED_BYTES / 3)), 1e6, thirds);
    await readWithin(keysOf(3, SHARE_PACKED_BYTES + 1), 1e6, huge);
    expect([sizes(thirds), sizes(huge)]).toEqual([[3, 3, 2], [1, 1, 1]]);
  });
});
