import fc from 'fast-check';
import { RE2JS } from 're2js';
import { patternSize } from './pattern-size';

const atom = fc.constantFrom('a', '.', '\\d', '\\.', '\\pL', '\\p{Greek}', '\\x{1F600}', '[a-z]', '[^]x]', '[[:alpha:]]', '[\\]]', '木');
const times = fc.tuple(fc.integer({ min: 0, max: 6 }), fc.option(fc.integer({ min: 0, max: 3 }))).map(([least, more]) => (more === null ? `{${least}}` : `{${least},${least + more}}`));
const pattern = fc.letrec<{ all: string; part: string }>((tie) => ({
  part: fc.oneof({ depthSize: 'small', withCrossShrink: true }, atom, tie('all').map((inner) => `(?:${inner})`), tie('all').map((inner) => `(${inner})`)),
  all: fc.array(fc.tuple(tie('part'), fc.oneof(fc.constant(''), fc.constantFrom('*', '+', '?', '|'), times)).map((parts) => parts.join('')), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
})).all;

/** Nothing of what RE2 does not take. */
function sizeOf(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined;
  }
}

describe('the size of a pattern before it is compiled', () => {
  it('is near what RE2 makes of it', () => {
    fc.assert(fc.property(pattern, (text) => {
      const size = sizeOf(text);
      fc.pre(size !== undefined);
      const expected = patternSize(text);
      expect([text, size, expected, (size ?? 0) <= 4 * expected + 20]).toEqual([text, size, expected, true]);
    }), { numRuns: 2_000 });
  });

  it.each([['a', 1], ['ab', 2], ['a{3}', 3], ['(a|b){10}', 41], ['((ab){10}){10}', 0], ['[]{2}]{5}', 5], ['\\{2}', 2], ['(', 1], ['{7}', 0], ['', 0]])('of %j is about %d', (text, size) => {
    expect(patternSize(text)).toBeGreaterThanOrEqual(size);
  });
});
