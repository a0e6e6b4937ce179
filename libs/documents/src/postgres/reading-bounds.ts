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

/** What is left of a filter when the columns have said their part of it: only that needs a look into the document. */
export function beyondBounds(condition: Condition): Condition {
  if (condition.kind === 'and') return { kind: 'and', of: condition.of.map(beyondBounds).filter((inner) => inner.kind !== 'and' || inner.of.length > 0) };
  if (condition.kind !== 'field') return condition;
  const path = condition.path.join('.');
  const isSaid = (path === '_ts' && isTimeSaid(condition.test)) || (path === '_tsMetadata._telItemId' && isItemSaid(condition.test));
  return isSaid ? EVERYTHING : condition;
}

const EVERYTHING: Condition = Object.freeze({ kind: 'and', of: [] });

function isTimeSaid(test: Test): boolean {
  if (test.kind === 'allOf') return test.of.every(isTimeSaid);
  return (test.kind === 'equal' || test.kind === 'compare') && typeof test.value === 'string';
}

/** The item of a reading is always a text. */
function isItemSaid(test: Test): boolean {
  if (test.kind === 'equal') return typeof test.value === 'string';
  return test.kind === 'in' && test.arrays.length === 0 && test.scalars.every((value) => typeof value === 'string');
}
