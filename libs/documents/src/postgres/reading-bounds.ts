import type { Condition, Test } from '../filter/ast';
import { SIGNS } from './leaf-predicates';
import type { Statement } from './statement';

/** What a filter says of `_ts` and of the item, as conditions on the columns that the keys of the table hold. */
export function readingBounds(statement: Statement, condition: Condition): string[] {
  if (condition.kind === 'and') return condition.of.flatMap((inner) => readingBounds(statement, inner));
  if (condition.kind !== 'field') return [];
  const path = condition.path.join('.');
  if (path === '_ts') return timeBounds(statement, condition.test);
  return path === '_tsMetadata._telItemId' ? itemBounds(statement, condition.test) : [];
}

function timeBounds(statement: Statement, test: Test): string[] {
  if (test.kind === 'allOf') return test.of.flatMap((inner) => timeBounds(statement, inner));
  if (test.kind !== 'equal' && test.kind !== 'compare') return [];
  if (typeof test.value !== 'string') return [];
  return [`ts ${test.kind === 'equal' ? '=' : SIGNS[test.operator]} ${statement.bind(test.value)}::timestamptz`];
}

function itemBounds(statement: Statement, test: Test): string[] {
  if (test.kind === 'equal' && typeof test.value === 'string') return [`item = ${statement.bind(test.value)}`];
  if (test.kind !== 'in' || !test.scalars.every((value) => typeof value === 'string') || test.arrays.length > 0) return [];
  return [`item = any(${statement.bind(test.scalars)}::text[])`];
}
