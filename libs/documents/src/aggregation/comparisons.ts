import { invalid } from '@twinyard/conventions';
import { evalExpr } from 'mingo/core';
import type { Any, AnyObject, Options } from 'mingo/types';
import { orderOf } from './order';

type Operator = (document: AnyObject, operands: Any, options: Options) => boolean | number;

const compared = (operator: string, answer: (order: number) => boolean | number): Operator => (document, operands, options) => {
  if (!Array.isArray(operands) || operands.length !== 2) throw invalid(`${operator}: needs two expressions`);
  const [left, right] = evalExpr(document, operands as Any, options) as unknown[];
  return answer(orderOf(left, right));
};

/** In expressions all values have an order, that of their types first. mingo compares there as filters do, where types do not mix. */
export const COMPARISONS: Readonly<Record<string, Operator>> = {
  $eq: compared('$eq', (order) => order === 0),
  $ne: compared('$ne', (order) => order !== 0),
  $gt: compared('$gt', (order) => order > 0),
  $gte: compared('$gte', (order) => order >= 0),
  $lt: compared('$lt', (order) => order < 0),
  $lte: compared('$lte', (order) => order <= 0),
  $cmp: compared('$cmp', Math.sign),
};
