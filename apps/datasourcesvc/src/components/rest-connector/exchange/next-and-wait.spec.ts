import { nextLink } from './link-header';
import { retryAfterMs } from './retry-after';

describe('the next page of a Link header', () => {
  it.each([
    ['<https://a.example/2>; rel="next"', 'https://a.example/2'], ['</2?a=1,2>; rel=next', '/2?a=1,2'], ['</1>; rel="prev", </3>; title="x, y"; rel="last next"', '/3'],
    ['</1>; rel="prev", </2>; REL = "NEXT"', '/2'], ['</2>; rel=next, </3>; rel=next', '/2'],
  ])('of %s is %s', (header, next) => expect(nextLink(header)).toBe(next));

  it.each([[undefined], [''], ['</1>; rel="prev"'], ['</1>; rel="nextone"'], ['</1>; anchor="next"'], ['<</<<<>>>;;;;'], ['<<<<</2>']])('is not there in %j', (header) => expect(nextLink(header)).toBeUndefined());

  it('is found in the second of two headers', () => expect(nextLink(['</1>; rel=prev', '</2>; rel=next'])).toBe('/2'));
});

describe('Retry-After', () => {
  const now = Date.parse('Fri, 27 Nov 2026 10:00:00 GMT');

  it.each([['0', 0], ['120', 120_000], [' 3 ', 3_000], ['Fri, 27 Nov 2026 10:00:05 GMT', 5_000], ['Fri, 27 Nov 2026 09:00:00 GMT', 0]])('%s is %d ms', (written, ms) => expect(retryAfterMs(written, now)).toBe(ms));

  it.each(['', 'soon', '99999999999'])('%j is none', (written) => expect(retryAfterMs(written, now)).toBeUndefined());
});
