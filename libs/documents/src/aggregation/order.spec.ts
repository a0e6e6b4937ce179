import fc from 'fast-check';
import { orderOf } from './order';
import { parsePipeline } from './parse-pipeline';
import { rowsOf, runStages } from './run-stages';

const scalar = fc.constantFrom<unknown>(undefined, null, Number.NaN, -0, 0, 1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, '', 'a', '😀', '\uffee', '\ud800', true, false, new Date(0), new Date(5), new Date(Number.NaN));
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(fc.constantFrom('a', 'b'), scalar, { maxKeys: 2 }));

describe('the order of values', () => {
  it('is one, whatever they are: what is no number is below all numbers', () => {
    fc.assert(fc.property(value, value, value, (one, two, three) => {
      const signs = [Math.sign(orderOf(one, two)), Math.sign(orderOf(two, three)), Math.sign(orderOf(one, three))] as const;
      expect(signs[0] + Math.sign(orderOf(two, one))).toBe(0);
      if (signs[0] <= 0 && signs[1] <= 0) expect(signs[2]).toBe(Math.min(signs[0], signs[1]));
    }), { numRuns: 2_000, seed: 7 });
    expect([3, Number.NaN, Number.NEGATIVE_INFINITY, null].toSorted(orderOf)).toEqual([null, Number.NaN, Number.NEGATIVE_INFINITY, 3]);
  });

  it('has no part in filters, where what is no number is neither more nor less than one', async () => {
    for (const operator of ['$gt', '$gte', '$lt', '$lte']) {
      const { stages } = parsePipeline([{ $skip: 0 }, { $match: { n: { [operator]: 5 } } }, { $count: 'n' }]);
      expect(await runStages(rowsOf([{ n: Number.NaN }, { n: 5 }]), stages, { isDate: () => false })).toEqual(operator.endsWith('e') ? [{ n: 1 }] : []);
    }
  });
});
