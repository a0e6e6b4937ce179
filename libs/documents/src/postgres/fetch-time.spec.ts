import { Deadline } from '../deadline';
import { FetchTime } from './fetch-time';

const tooSlow = expect.objectContaining({ status: 400, code: 'query_too_slow' }) as Error;

describe('the time of fetches', () => {
  it('is two seconds for regular expressions, in all fetches of a stream together', () => {
    const time = new FetchTime(true);
    expect(time.leftMs()).toBe(2_000);
    for (const worked of [700.4, 0, 900]) time.add(worked);
    expect(time.leftMs()).toBe(399);
    time.add(399.6);
    expect(() => time.leftMs()).toThrow(tooSlow);
  });

  it('is a minute for each of others', () => {
    const time = new FetchTime(false);
    for (let fetch = 0; fetch < 3; fetch += 1) {
      expect(time.leftMs()).toBe(60_000);
      time.add(59_000);
    }
  });

  it.each([true, false])('is no more than is left till the deadline, with regular expressions: %s', (usesRegex) => {
    let now = 0;
    const time = new FetchTime(usesRegex, new Deadline(60_000, () => now));
    now = 59_500;
    expect(time.leftMs()).toBe(500);
    now = 60_000;
    expect(() => time.leftMs()).toThrow(tooSlow);
  });
});
