import { evalExpr } from 'mingo/core';
import { $mod, $slice, $toLower, $toUpper } from 'mingo/operators/expression';
import type { Any, AnyObject, Options } from 'mingo/types';

type Operator = (document: AnyObject, operand: Any, options: Options) => Any;

/** `count`: how many of the operands are asked. */
const unlessNothing = (operator: Operator, answer: string | null, count: number): Operator => (document, operand, options) => {
  const values = [operand].flat(1).slice(0, count).map((expression) => evalExpr(document, expression as Any, options));
  return values.some((value) => value === null || value === undefined) ? answer : operator(document, operand, options);
};

/** What MongoDB says of `null` and of what is missing. mingo refuses the pipeline for the first two, and says `null` of the others. */
export const NULL_OPERANDS: Readonly<Record<string, Operator>> = {
  $mod: unlessNothing($mod as Operator, null, 2),
  $slice: unlessNothing($slice as Operator, null, 1),
  $toLower: unlessNothing($toLower as Operator, '', 1),
  $toUpper: unlessNothing($toUpper as Operator, '', 1),
};
