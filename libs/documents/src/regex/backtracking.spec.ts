import { givesUpBeyond } from './backtracking';
import { toMongoRegex } from './translation';

describe('how long a text may be of which a pattern is always told', () => {
  const asked = (source: string, flags = '') => givesUpBeyond(toMongoRegex({ kind: 'regex', source, flags }));

  it.each(['', 'pump', '^Pump \\d{3}$', '(foo|bar)baz', 'colou?r', '\\bpump\\b', '[|)(*+]x', '\\(a\\+\\)', '(a|b){3}', 'a{2,9}b'])('any: %s', (source) => expect(asked(source)).toBe(Infinity));

  it.each([
    ['a.*b', 1_000_000], ['^[a-z]+\\d', 1_000_000], ['^wall \\d+$', 1_000_000], ['a{0}b+', 1_000_000], ['(foo|bar).*baz', 500_000], ['(a|b|c|d)x*', 250_000],
  ])('%s: of as many bytes as it is tried at one place, %d', (source, bytes) => expect(asked(source)).toBe(bytes));

  it.each([
    '.*a.*b', '(a+)+$', '(a|a)*b', '(a|aa)+$', '(?:(a|b)?c){30}', '(a|ab)(c|bcd){40}', 'a+b*', '(a?){30}a{30}', '(?P<x>a*)*', '(a|b)+c', '([ab]{1,3})+',
  ])('none that anybody could tell: %s', (source) => expect(asked(source)).toBe(0));

  it('counts what letters of either case become', () => {
    expect(asked('pump', 'i')).toBe(Infinity);
    expect(asked('p+u+', 'i')).toBe(0);
  });
});
