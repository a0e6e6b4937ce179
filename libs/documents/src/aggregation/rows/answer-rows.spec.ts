import fc from 'fast-check';
import { jsonBytes } from './answer-rows';

describe('what an answer weighs', () => {
  it('is the UTF-8 of its JSON', () => {
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double()), (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }), { seed: 5 });
    for (const value of [1e300, -0, 1e-7, Number.NaN, [undefined, { a: undefined, b: 1 }], '"\\\n\u2028\u0001 ä 😀', {}, [], [[], {}]]) {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
    }
  });

  it('is counted no further than is asked for', () => {
    const doubled = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner, inner], 'text');
    expect(jsonBytes(doubled, 1_000)).toBeGreaterThan(1_000);
    expect(jsonBytes({ doubled, more: doubled }, 1_000)).toBeGreaterThan(1_000);
  });
});
