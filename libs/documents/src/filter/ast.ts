import type { CompareTest, EqualTest, InTest } from './comparison';
import type { ExistsTest, ModTest, RegexTest, SizeTest, TypeTest } from './value-tests';

export type Scalar = string | number | boolean | null;

/** A dotted path, split. `['a', '0', 'b']`: a number is an index of an array or the name of a field. */
export type Path = readonly string[];

/** What a filter says about a whole document. */
export type Condition =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly of: readonly Condition[] }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test }
  | { readonly kind: 'text'; readonly search: string };

/** What a filter says about the values that a path leads to: holds when it holds for one of them. */
export type Test =
  | EqualTest
  | CompareTest
  | InTest
  | ExistsTest
  | TypeTest
  | RegexTest
  | SizeTest
  | ModTest
  /** An element of an array that meets the condition (as a document), or all the tests (as a value). */
  | { readonly kind: 'elemMatch'; readonly condition: Condition }
  | { readonly kind: 'elemMatchValue'; readonly test: Test }
  /** Each test may hold for another value of the path, as MongoDB has it. */
  | { readonly kind: 'allOf'; readonly of: readonly Test[] }
  /** Holds where the inner test does not, missing fields included. */
  | { readonly kind: 'not'; readonly test: Test };

/** A filter that passed the parser; frozen. Made by `parseFilter` and `allOf` alone. */
export class ParsedFilter {
  constructor(readonly condition: Condition) {
    Object.freeze(this);
  }
}

/** `$and` of parsed filters: how a repository narrows what the caller asked for, outside of the caller's limits. */
export const allOf = (...filters: readonly ParsedFilter[]): ParsedFilter =>
  new ParsedFilter(Object.freeze({ kind: 'and' as const, of: Object.freeze(filters.map((filter) => filter.condition)) }));

/** Whether a full-text search is in it; the parser takes those under `$and` alone. */
export const searchesText = (condition: Condition): boolean =>
  condition.kind === 'text' || (condition.kind === 'and' && condition.of.some(searchesText));

/** Whether it leaves nothing out. */
export const isEverything = (condition: Condition): boolean => condition.kind === 'and' && condition.of.every(isEverything);

/** The `_id` that it says: one document of a partition at most can meet it. */
export function idNamedIn(condition: Condition): string | undefined {
  if (condition.kind === 'and') return firstOf(condition.of, idNamedIn);
  return condition.kind === 'field' && condition.path.length === 1 && condition.path[0] === '_id' ? valueNamedIn(condition.test) : undefined;
}

function valueNamedIn(test: Test): string | undefined {
  if (test.kind === 'allOf') return firstOf(test.of, valueNamedIn);
  return test.kind === 'equal' && typeof test.value === 'string' ? test.value : undefined;
}

function firstOf<T>(list: readonly T[], find: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
