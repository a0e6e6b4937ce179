import { distinctValues } from '../src/distinct-values';

describe('distinct values of a path with numbers', () => {
  const of = (path: string, ...values: readonly unknown[]) => distinctValues(values.map((v, index) => ({ _id: `${index}`, v })), path.split('.'));

  it('takes a number for an index where the array has one', () => {
    expect(of('v.0', [1, 2], [1], 'a', [[3, 3]], { 0: 4 })).toEqual([{ value: 1, count: 2 }, { value: 3, count: 1 }, { value: 4, count: 1 }]);
  });

  it('takes it for a name in the elements where the array ends before', () => {
    expect(of('v.2.b', [{ 2: { b: 'x' } }], [0, 0, { b: ['x', 'y'] }], [])).toEqual([{ value: 'x', count: 2 }, { value: 'y', count: 1 }]);
  });

  it('answers in the order of BSON, texts by code point', () => {
    const values = [true, [1], { a: 1 }, 'é', 'b', 'B', 10, 9, null, '😀', '\uffff'].map((value) => [[value]]);
    expect(of('v.0', ...values).map(({ value }) => value)).toEqual([null, 9, 10, 'B', 'b', 'é', '\uffff', '😀', { a: 1 }, [1], true]);
  });
});
