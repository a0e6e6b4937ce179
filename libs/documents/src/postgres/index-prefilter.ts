import type { Path, Test } from '../filter/ast';
import { isScalar } from '../filter/comparison';
import { isPlace } from '../filter/path';
import type { FilterTarget } from './filter-compiler';
import { SIGNS } from './leaf-predicates';
import type { Statement } from './statement';

/** An index that queries may use: the path that its first column holds. */
export interface FilterIndex {
  readonly path: Path;
}

/** A test on one path, and its exact condition. */
export interface FieldTest {
  readonly path: Path;
  readonly test: Test;
  readonly exact: string;
}

/**
 * The exact condition with what an expression index can answer ahead of it: a superset, never less. The index holds
 * `doc #> path` in the order of jsonb (null < text < number < boolean < array < object), so arrays at the end of the path are
 * found above `true`; where an array lies on the way to it `doc #> path` is NULL. Only there is the exact condition asked at all when
 * the test is one for equal values: a value that equals one of them settles it. Where a step may be a place in an array, what lies in that
 * place says nothing of the fields of this name in the elements: no index is asked.
 */
export function indexedCondition(statement: Statement, { path, test, exact }: FieldTest, target: FilterTarget): string | undefined {
  if (path.slice(1).some(isPlace) || !target.indexes.some((index) => samePath(index.path, path))) return undefined;
  let bound: string | undefined;
  // Bound once and only when it is used: a parameter that no text names has no type.
  const expression = () => (bound ??= `(${target.document} #> ${statement.bind(path)}::text[])`);
  const bounds = boundsOf(statement, test, expression);
  if (bounds === undefined) return undefined;
  const others = [`${expression()} > 'true'::jsonb`, ...(path.length > 1 ? [`${expression()} is null`] : [])];
  if (isForEqual(test)) return `(${[bounds, ...others.map((other) => `(${other} and ${exact})`)].join(' or ')})`;
  return `((${[bounds, ...others].join(' or ')}) and ${exact})`;
}

const isForEqual = ({ kind }: Test) => kind === 'equal' || kind === 'in';

function boundsOf(statement: Statement, test: Test, expression: () => string): string | undefined {
  const bind = (value: unknown) => `${statement.bind(JSON.stringify(value))}::jsonb`;
  if (test.kind === 'allOf') return allBounds(statement, test.of, expression);
  if (test.kind === 'equal' && test.value !== null && isScalar(test.value)) return `${expression()} = ${bind(test.value)}`;
  // Texts compare by code point in MongoDB, by the database's collation in an index of jsonb: only numbers agree.
  if (test.kind === 'compare' && typeof test.value === 'number') return `${expression()} ${SIGNS[test.operator]} ${bind(test.value)}`;
  if (test.kind === 'in' && test.arrays.length === 0 && !test.scalars.includes(null)) {
    return `${expression()} = any(${statement.bind(test.scalars.map((value) => JSON.stringify(value)))}::jsonb[])`;
  }
  return undefined;
}

function allBounds(statement: Statement, tests: readonly Test[], expression: () => string): string | undefined {
  const bounds = tests.map((inner) => boundsOf(statement, inner, expression)).filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : `(${bounds.join(' and ')})`;
}

const samePath = (one: Path, other: Path) => one.length === other.length && one.every((step, index) => step === other[index]);
