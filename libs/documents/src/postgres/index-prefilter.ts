import type { IndexSpec } from '../document-store';
import type { Path, Test } from '../filter/ast';
import { isScalar } from '../filter/comparison';
import { isPlace } from '../filter/path';
import type { FilterTarget } from './filter-compiler';
import { indexKey, keyOfScalar } from './index-key';
import { SIGNS } from './leaf-predicates';
import type { Statement } from './statement';

/** An index that queries may use: the path that its first column holds. */
export interface FilterIndex {
  readonly path: Path;
  readonly spec: IndexSpec;
}

/** A test on one path, and its exact condition. */
export interface FieldTest {
  readonly path: Path;
  readonly test: Test;
  readonly exact: string;
}

/** What is compared, and with what. */
interface Indexed {
  /** SQL of what the index holds. Bound once and only when it is used: a parameter that no text names has no type. */
  readonly expression: () => string;
  /** SQL of what it holds of a scalar. */
  readonly bind: (value: unknown) => string;
  readonly bindAll: (values: readonly unknown[]) => string;
}

/**
 * The exact condition with what an expression index can answer ahead of it: a superset, never less. The index holds `doc #> path`, long texts as
 * digests (`twinyard_index_key`), in the order of jsonb (null < text < number < boolean < array < object), so arrays at the end of the path are
 * found above `true`; where an array lies on the way to it `doc #> path` is NULL. Only there is the exact condition asked at all when
 * the test is one for equal values: a value that equals one of them settles it. Where a step may be a place in an array, what lies in that
 * place says nothing of the fields of this name in the elements: no index is asked.
 */
export function indexedCondition(statement: Statement, { path, test, exact }: FieldTest, target: FilterTarget): string | undefined {
  const index = path.slice(1).some(isPlace) ? undefined : target.indexes.find((one) => samePath(one.path, path));
  if (index === undefined) return undefined;
  const indexed = indexedBy(statement, index, target.document);
  const bounds = boundsOf(test, indexed);
  if (bounds === undefined) return undefined;
  const value = indexed.expression();
  // Above lists there are digests of objects and of long texts, none of which equals what is asked for here.
  const lists = index.spec.options.isShort === true ? `${value} > 'true'::jsonb` : `${value} > 'true'::jsonb and ${value} < '{}'::jsonb`;
  const others = [`(${lists})`, ...(path.length > 1 ? [`${value} is null`] : [])];
  if (isForEqual(test)) return `(${[bounds, ...others.map((other) => `(${other} and ${exact})`)].join(' or ')})`;
  return `((${[bounds, ...others].join(' or ')}) and ${exact})`;
}

function indexedBy(statement: Statement, { path, spec }: FilterIndex, document: string): Indexed {
  let bound: string | undefined;
  const json = (value: unknown) => JSON.stringify(keyOfScalar(value, spec));
  return {
    expression: () => (bound ??= indexKey(`${document} #> ${statement.bind(path)}::text[]`, spec)),
    bind: (value) => `${statement.bind(json(value))}::jsonb`,
    bindAll: (values) => `any(${statement.bind(values.map(json))}::jsonb[])`,
  };
}

const isForEqual = ({ kind }: Test) => kind === 'equal' || kind === 'in';

function boundsOf(test: Test, indexed: Indexed): string | undefined {
  const { expression, bind, bindAll } = indexed;
  if (test.kind === 'allOf') return allBounds(test.of, indexed);
  if (test.kind === 'equal' && test.value !== null && isScalar(test.value)) return `${expression()} = ${bind(test.value)}`;
  // Texts compare by code point in MongoDB, by the database's collation in an index of jsonb: only numbers agree.
  if (test.kind === 'compare' && typeof test.value === 'number') return `${expression()} ${SIGNS[test.operator]} ${bind(test.value)}`;
  if (test.kind === 'in' && test.arrays.length === 0 && !test.scalars.includes(null)) return `${expression()} = ${bindAll(test.scalars)}`;
  return undefined;
}

function allBounds(tests: readonly Test[], indexed: Indexed): string | undefined {
  const bounds = tests.map((inner) => boundsOf(inner, indexed)).filter((bound) => bound !== undefined);
  return bounds.length === 0 ? undefined : `(${bounds.join(' and ')})`;
}

const samePath = (one: Path, other: Path) => one.length === other.length && one.every((step, index) => step === other[index]);
