import { invalid } from '@twinyard/conventions';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { rankOf } from '../type-order';

type Operator = (document: AnyObject, operands: Any, options: Options) => boolean;

/** Less than, equal to or more than 0. What is missing is below `null`; objects are compared name by name, whose order is not kept. */
function orderOf(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  if (rank !== rankOf(right)) return rank - rankOf(right);
  if (Array.isArray(left)) return orderOfLists(left, right as readonly unknown[]);
  if (rank === 4) return orderOfLists(entriesOf(left as object), entriesOf(right as object));
  const [one, other] = [left, right].map((value) => (value instanceof Date ? value.getTime() : value)) as [number, number];
  if (one === other || rank < 2) return 0;
  return one < other ? -1 : 1;
}

const entriesOf = (value: object): readonly unknown[] => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).flat();

function orderOfLists(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [index, value] of left.entries()) {
    if (index >= right.length) return 1;
    const order = orderOf(value, right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const compared = (operator: string, holds: (order: number) => boolean): Operator => (document, operands, options) => {
  if (!Array.isArray(operands) || operands.length !== 2) throw invalid(`${operator}: needs two expressions`);
  const [left, right] = evalExpr(document, operands as Any, options) as unknown[];
  return holds(orderOf(left, right));
};

/** In expressions all values have an order, that of their types first. mingo compares there as filters do, where types do not mix. */
export const COMPARISONS: Readonly<Record<string, Operator>> = {
  $eq: compared('$eq', (order) => order === 0),
  $ne: compared('$ne', (order) => order !== 0),
  $gt: compared('$gt', (order) => order > 0),
  $gte: compared('$gte', (order) => order >= 0),
  $lt: compared('$lt', (order) => order < 0),
  $lte: compared('$lte', (order) => order <= 0),
};
