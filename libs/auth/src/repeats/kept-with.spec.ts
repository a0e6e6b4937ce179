import { once } from './kept-with';

describe('what is made of a result', () => {
  it('is made once of the same one, and anew of another', () => {
    const made: object[] = [];
    const pageOf = once((items: readonly number[]) => made.push(items) && { sum: items.reduce((sum, item) => sum + item, 0) });
    const [first, second] = [[1, 2], [1, 2]];
    expect([pageOf(first), pageOf(first), pageOf(second)]).toEqual([{ sum: 3 }, { sum: 3 }, { sum: 3 }]);
    expect(pageOf(second)).toBe(pageOf(second));
    expect(made).toHaveLength(2);
  });

  it('is made of nothing, too', () => {
    const make = jest.fn(() => 'empty');
    const of = once<undefined, string>(make);
    expect([of(undefined), of(undefined), make.mock.calls.length]).toEqual(['empty', 'empty', 1]);
  });
});
