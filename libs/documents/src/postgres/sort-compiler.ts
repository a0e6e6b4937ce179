import { isPlace } from '../filter/path';
import type { SortKey } from '../sort';
import type { Statement } from './statement';

export interface CompiledSort {
  /** Stands behind the table: the value of each key, taken out of the document once a row. */
  readonly from: string;
  /** For each key. */
  readonly order: readonly string[];
}

/**
 * Three columns a key, in BSON order. Only where an array lies on the path does the function run that looks for its least (ascending)
 * or greatest element. Objects rank among each other as equal. `offset 0` keeps the planner from writing the value out anew at each
 * of the places that name it, which took twice as long as all else together.
 */
export function compileSort(statement: Statement, keys: readonly SortKey[], document: string): CompiledSort {
  const values = keys.map(({ path, direction }, index) => `, lateral (${sortValue(statement, path, direction, document)} offset 0) sorted_${index}`);
  const order = keys.map(({ direction }, index) => sortColumns(`sorted_${index}.v`).map((column) => `${column} ${direction === 1 ? 'asc' : 'desc'}`).join(', '));
  return { from: values.join(''), order };
}

function sortValue(statement: Statement, path: readonly string[], direction: 1 | -1, document: string): string {
  const whole = `${statement.bind(path)}::text[]`;
  const least = `twinyard_sort_value(${document}, ${whole}, ${direction === 1})`;
  const onTheWay = arrayOnTheWay(statement, path, document);
  return `select case when ${onTheWay} or jsonb_typeof(raw) = 'array' then ${least} else raw end as v from (select ${document} #> ${whole} as raw offset 0) taken`;
}

/** SQL of whether what `#>` takes out of a document, in the column `raw`, leaves out what lies in arrays on the way to it. */
export function arrayOnTheWay(statement: Statement, path: readonly string[], document: string): string {
  const isArray = path.slice(0, -1).map((_, index) => `jsonb_typeof(${document} #> ${statement.bind(path.slice(0, index + 1))}::text[]) = 'array'`);
  // Past an array there is nothing, unless a step is a number.
  return isArray.length === 0 ? 'false' : `(${path.some(isPlace) ? '' : 'raw is null and '}(${isArray.join(' or ')}))`;
}

/**
 * Most values are numbers, so the first column alone tells those apart; all else lies below or above every number and is told apart by
 * the rank of its type, then by its text. MongoDB sorts an empty array below null, and a missing field with null.
 */
export function sortColumns(value: string): string[] {
  const isEmpty = `${value} = '[]'`;
  const number = `(case jsonb_typeof(${value}) when 'number' then (${value})::float8 when 'string' then 'infinity' when 'object' then 'infinity' when 'boolean' then 'infinity'
    when 'array' then case when ${isEmpty} then '-infinity'::float8 else 'infinity' end else '-infinity' end)`;
  const rank = `(case jsonb_typeof(${value}) when 'number' then 2 when 'string' then 3 when 'object' then 4 when 'boolean' then 8 + (${value})::boolean::int
    when 'array' then case when ${isEmpty} then 0 else 5 end else 1 end)`;
  const text = `(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end) collate "C"`;
  return [number, rank, text];
}
