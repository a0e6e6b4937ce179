import { invalidField } from '@twinyard/conventions';
import type { Test } from '../filter/ast';
import type { SingleTest } from './filter-compiler';

type Operators = Readonly<Record<string, unknown>>;
type Entry = readonly [operator: string, operand: unknown];

/**
 * The tests of one element as one object of operators: `$elemMatch` of values takes no `$and`. Each operator may stand once in
 * it, so the negations of equality share one `$nin`, and several equalities or `$elemMatch` go under `$all`.
 */
export function elementOperators(test: Test, operator: (test: SingleTest) => Operators): Operators {
  const entries = entriesOf(test, operator);
  const take = (name: string) => entries.filter((entry) => entry[0] === name).map((entry) => entry[1]);
  const single = entries.filter(([name]) => !SHARED.includes(name));
  const merged = [...single, ...shared('$eq', take('$eq')), ...shared('$elemMatch', take('$elemMatch').map((inner) => ({ $elemMatch: inner })))];
  const excluded = take('$nin').flat(1);
  const all: readonly Entry[] = excluded.length > 0 ? [...merged, ['$nin', excluded]] : merged;
  if (new Set(all.map(([name]) => name)).size < all.length) throw invalidField('query', '$elemMatch: two of its operators say the same of one value');
  return Object.fromEntries(all);
}

const SHARED = ['$eq', '$elemMatch', '$nin'];

function shared(name: string, operands: readonly unknown[]): readonly Entry[] {
  if (operands.length > 1) return [['$all', operands]];
  return operands.map((operand) => [name, name === '$elemMatch' ? (operand as Operators)[name] : operand]);
}

function entriesOf(test: Test, operator: (test: SingleTest) => Operators): readonly Entry[] {
  if (test.kind === 'allOf') return test.of.flatMap((inner) => entriesOf(inner, operator));
  if (test.kind !== 'not') return Object.entries(operator(test));
  const inner = test.test;
  if (inner.kind === 'exists') return [['$exists', false]];
  if (inner.kind === 'equal') return [['$nin', [inner.value]]];
  if (inner.kind === 'in') return [['$nin', [...inner.scalars, ...inner.arrays]]];
  return [['$not', elementOperators(inner, operator)]];
}
