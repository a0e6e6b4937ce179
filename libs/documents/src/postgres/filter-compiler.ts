import type { Condition, Path, Scalar, Test } from '../filter/ast';
import { isScalar, type CompareTest } from '../filter/comparison';
import { missingTextIndex } from '../indexes/missing-text-index';
import { indexedCondition, type FilterIndex } from './index-prefilter';
import { OBJECT, readPath, type PathReading } from './json-path';
import { leafPredicate, SIGNS, type LeafPredicate } from './leaf-predicates';
import type { Statement } from './statement';

/** Of more values than these a list is compared as a hashed array instead of one by one. */
const MAX_LISTED_VALUES = 32;

export interface FilterTarget {
  /** Column or expression that holds the document; never text of a caller. */
  readonly document: string;
  /** The document is a row of a collection: `_id` has a column, and indexes count. */
  readonly isRow: boolean;
  readonly indexes: readonly FilterIndex[];
  /** SQL of a full-text match, when the collection has a text index. */
  readonly textMatch?: (search: string) => string;
}

/** Compiles a condition to a SQL truth value that is never NULL. Negation is then plain `not`. */
export function compileFilter(statement: Statement, condition: Condition, target: FilterTarget): string {
  return new FilterCompiler(statement, target).condition(condition, target.isRow);
}

class FilterCompiler {
  private aliases = 0;

  constructor(private readonly statement: Statement, private readonly target: FilterTarget, private readonly depth = 0) {}

  /** `positive`: the row must meet this condition, so that an index may be asked first. */
  condition(condition: Condition, positive: boolean): string {
    switch (condition.kind) {
      case 'and':
        return join(condition.of.map((inner) => this.condition(inner, positive)), 'and', 'true');
      case 'or':
        return join(condition.of.map((inner) => this.condition(inner, false)), 'or', 'false');
      case 'nor':
        return `not ${join(condition.of.map((inner) => this.condition(inner, false)), 'or', 'false')}`;
      case 'field':
        return this.field(condition.path, condition.test, positive);
      case 'text':
        if (!this.target.textMatch) throw missingTextIndex();
        return this.target.textMatch(condition.search);
    }
  }

  private field(path: Path, test: Test, positive: boolean): string {
    const exact = this.test(path, test);
    return (positive ? indexedCondition(this.statement, { path, test, exact }, this.target) : undefined) ?? exact;
  }

  private test(path: Path, test: Test, single = false): string {
    switch (test.kind) {
      case 'not':
        return `not ${this.test(path, test.test, single)}`;
      case 'allOf':
        return join(test.of.map((inner) => this.test(path, inner, single)), 'and', 'true');
      case 'elemMatch':
        return this.elemMatch(path, test.condition);
      case 'elemMatchValue':
        return this.elemMatchValue(path, test.test);
      case 'in':
        return this.inList(path, test.scalars, test.arrays, single);
      case 'equal':
        return this.equal(path, test.value, single);
      case 'compare':
        return this.compare(path, test, single);
      default:
        if (test.kind === 'regex') this.statement.usesRegex = true;
        return this.leaf(path, leafPredicate(test), single);
    }
  }

  private compare(path: Path, test: CompareTest, single: boolean): string {
    if (test.value !== null) return this.id(path, test) ?? this.leaf(path, leafPredicate(test), single);
    return test.operator === '$gte' || test.operator === '$lte' ? this.nullOrMissing(path, single) : 'false';
  }

  private equal(path: Path, value: Scalar | readonly Scalar[], single: boolean): string {
    if (!isScalar(value)) return this.exactArray(path, value, single);
    if (value === null) return this.nullOrMissing(path, single);
    const test = { kind: 'equal', value } as const;
    return this.id(path, test) ?? this.leaf(path, leafPredicate(test), single);
  }

  /** The order and equality of ids are those of their column, which is the primary key. */
  private id(path: Path, test: Extract<Test, { kind: 'equal' | 'compare' }>): string | undefined {
    if (!this.target.isRow || path.length !== 1 || path[0] !== '_id') return undefined;
    if (typeof test.value !== 'string') return 'false';
    const sign = test.kind === 'equal' ? '=' : SIGNS[test.operator];
    return `(id ${sign} ${this.statement.bind(test.value)})`;
  }

  private inList(path: Path, scalars: readonly Scalar[], arrays: readonly (readonly Scalar[])[], single: boolean): string {
    const values = [...new Set(scalars.filter((value) => value !== null))];
    const parts = arrays.map((array) => this.exactArray(path, array, single));
    if (values.length < scalars.length && scalars.includes(null)) parts.push(this.nullOrMissing(path, single));
    if (this.target.isRow && path.length === 1 && path[0] === '_id') parts.push(this.idList(values));
    else if (values.length > MAX_LISTED_VALUES) parts.push(this.longList(path, values, single));
    else if (values.length > 0) parts.push(this.leaf(path, leafPredicate({ kind: 'in', scalars: values, arrays: [] }), single));
    return join(parts, 'or', 'false');
  }

  private idList(values: readonly Scalar[]): string {
    return `(id = any(${this.statement.bind(values.filter((value) => typeof value === 'string'))}::text[]))`;
  }

  private longList(path: Path, values: readonly Scalar[], single: boolean): string {
    const list = this.statement.bind(values.map((value) => JSON.stringify(value)));
    return this.someValue(path, (value) => `${value} = any(${list}::jsonb[])`, { elements: !single });
  }

  /** An array that equals, or an element that does. */
  private exactArray(path: Path, array: readonly Scalar[], single: boolean): string {
    const operand = `${this.statement.bind(JSON.stringify(array))}::jsonb`;
    const itself = this.someValue(path, (value) => `${value} = ${operand}`, { elements: false });
    return single ? itself : `(${itself} or ${this.someValue(path, (value) => `${value} = ${operand}`, { elements: true })})`;
  }

  /** MongoDB takes an element that is an array for a document whose names are its places. */
  private elemMatch(path: Path, condition: Condition): string {
    return this.someElement(path, (element) => {
      const alias = `d${this.depth}_${this.aliases++}`;
      const inner = new FilterCompiler(this.statement, { document: `${alias}.v`, isRow: false, indexes: [] }, this.depth + 1);
      const ofPlaces = `select coalesce(jsonb_object_agg(n - 1, x), '{}') from jsonb_array_elements(${element}) with ordinality as places(x, n)`;
      const document = `case jsonb_typeof(${element}) when 'object' then ${element} when 'array' then (${ofPlaces}) end`;
      return `exists (select from (select ${document}) ${alias}(v) where ${alias}.v is not null and ${inner.condition(condition, false)})`;
    });
  }

  /** The element as a value: it is compared itself, never its own elements. */
  private elemMatchValue(path: Path, test: Test): string {
    return this.someElement(path, (element) => {
      const target = { document: `jsonb_build_object('v', ${element})`, isRow: false, indexes: [] };
      return new FilterCompiler(this.statement, target, this.depth + 1).test(['v'], test, true);
    });
  }

  private someElement(path: Path, meets: (element: string) => string): string {
    const element = `e${this.depth}_${this.aliases++}`;
    return this.someValue(path, (value) => `jsonb_typeof(${value}) = 'array' and exists (select from jsonb_array_elements(${arrayOrEmpty(value)}) ${element}(v) where ${meets(`${element}.v`)})`, { elements: false });
  }

  /** Goes through the values of a path in SQL; `elements`: those of arrays in their place. */
  private someValue(path: Path, meets: (value: string) => string, { elements }: { elements: boolean }): string {
    const parts = readPath(path).map((reading) => {
      const alias = `v${this.depth}_${this.aliases++}`;
      const expand = elements && !reading.indexed ? '[*]' : '';
      const values = this.statement.jsonpath(`${selectOf(reading)}${expand}`);
      return `exists (select from jsonb_path_query(${this.target.document}, ${values}, '{}', true) ${alias}(v) where ${meets(`${alias}.v`)})`;
    });
    return join(parts, 'or', 'false');
  }

  private nullOrMissing(path: Path, single: boolean): string {
    const missing = new Set(readPath(path).flatMap(missingPaths));
    const isNull = this.leaf(path, { whole: false, text: (at) => `${at} == null` }, single);
    return join([isNull, ...[...missing].map((text) => this.holds(text))], 'or', 'false');
  }

  private leaf(path: Path, predicate: LeafPredicate, single: boolean): string {
    return join(readPath(path).map((reading) => this.holds(predicatePath(reading, predicate, single))), 'or', 'false');
  }

  private holds(path: string): string {
    return `(${this.target.document} @? ${this.statement.jsonpath(path)})`;
  }
}

function predicatePath(reading: PathReading, predicate: LeafPredicate, single: boolean): string {
  const itselfOnly = single || reading.indexed;
  if (reading.chain !== undefined && !predicate.whole && !itselfOnly) return `$ ? (${predicate.text(`@${reading.chain}`)})`;
  // `whole` predicates speak of the array itself; all others must not look into it here.
  const scalarOnly = itselfOnly && !predicate.whole && !predicate.text('@').startsWith('exists(@)') ? [`${reading.leaf}.type() != "array"`] : [];
  return `${reading.parent} ? (${[...reading.guards, ...scalarOnly, `(${predicate.text(reading.leaf)})`].join(' && ')})`;
}

function selectOf(reading: PathReading): string {
  if (reading.chain !== undefined) return `$${reading.chain}`;
  return `${reading.parent} ? (${reading.guards.join(' && ')})${reading.leaf.slice(1)}`;
}

/** Where the path breaks off: an object without the name, or a scalar in its place that is no element of an array. */
function missingPaths(reading: PathReading): string[] {
  return reading.names.map(({ parent, leaf, last }) => {
    const isScalarThere = ['array', 'object'].map((type) => `${leaf}.type() != "${type}"`).join(' && ');
    return `${parent} ? (${OBJECT} && (!exists(${leaf})${last ? '' : ` || (${isScalarThere})`}))`;
  });
}

const arrayOrEmpty = (value: string) => `case when jsonb_typeof(${value}) = 'array' then ${value} else '[]' end`;

const join = (parts: readonly string[], word: 'and' | 'or', none: string) =>
  parts.length === 0 ? none : `(${parts.join(` ${word} `)})`;
