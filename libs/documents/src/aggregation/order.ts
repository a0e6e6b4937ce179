import { rankOf } from '../type-order';

/** BSON's order: less than, equal to or more than 0. What is missing is below `null`; objects are compared name by name, whose order is not kept. */
export function orderOf(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  if (Array.isArray(left)) return orderOfLists(left, right as readonly unknown[]);
  if (rank === 4) return orderOfLists(entriesOf(left as object), entriesOf(right as object));
  if (typeof left === 'string') return orderOfTexts(left, right as string);
  return rank < 2 ? 0 : orderOfNumbers(numberOf(left), numberOf(right));
}

const numberOf = (value: unknown) => (value instanceof Date ? value.getTime() : (value as number));

/** What is no number is one below all others: else no order could be told of it. */
function orderOfNumbers(one: number, other: number): number {
  if (one === other) return 0;
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(other)) - Number(Number.isNaN(one));
  return one < other ? -1 : 1;
}

const entriesOf = (value: object): readonly unknown[] => Object.entries(value).sort(([one], [other]) => orderOfTexts(one, other)).flat();

function orderOfLists(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [index, value] of left.entries()) {
    if (index >= right.length) return 1;
    const order = orderOf(value, right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** By code point, which is the order of their bytes. JavaScript's own has the surrogates of 😀 below \uffee. */
export function orderOfTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left !== right) return isSurrogate(left) === isSurrogate(right) ? left - right : Number(isSurrogate(left)) * 2 - 1;
  }
  return one.length - other.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xe000;
