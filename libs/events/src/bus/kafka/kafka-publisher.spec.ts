import { chunksOf } from './kafka-publisher';

const record = (key: string, bytes: number) => ({ topic: 't', key, value: 'x'.repeat(bytes) });

describe('chunksOf', () => {
  it('keeps what is sent at once far below what a topic takes, in order, and a long event alone', () => {
    const records = [record('1', 300_000), record('2', 200_000), record('3', 100_000), record('4', 3_000_000), record('5', 1)];
    expect(chunksOf(records).map((chunk) => chunk.map(({ key }) => key))).toEqual([['1', '2'], ['3'], ['4'], ['5']]);
    expect(chunksOf([])).toEqual([]);
  });

  it('counts bytes, not characters', () => {
    const wide = { topic: 't', key: 'w', value: '€'.repeat(100_000) };
    expect(chunksOf([wide, wide])).toHaveLength(2);
  });
});
