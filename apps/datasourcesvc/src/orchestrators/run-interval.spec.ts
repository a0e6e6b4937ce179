import { parseInterval } from './run-interval';

describe('an interval', () => {
  it.each([
    ['* * 30', 30_000], ['1 2 3', 3_723_000], ['0 0 0', 0], ['* * *', 0], [' 0  90 * ', 5_400_000],
  ])('%s is %d ms', (text, ms) => expect(parseInterval(text)).toBe(ms));

  it.each(['', '30', '1 2', '1 2 3 4', '-1 0 0', '1.5 0 0', 'a b c', '9999 0 0'])('refuses %j', (text) => expect(parseInterval(text)).toBeUndefined());

  it('may be longer where no timer has to hold it', () => {
    expect([parseInterval('720 * *'), parseInterval('720 * *', Number.POSITIVE_INFINITY)]).toEqual([undefined, 2_592_000_000]);
  });
});
