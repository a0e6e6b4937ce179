import type { SortKey } from '../sort';
import type { Statement } from './statement';

/**
 * Three columns a key, in BSON order: rank of the type, number, text. Only where an array lies on the path does the function
 * run that looks for its least (ascending) or greatest element. Objects rank among each other as equal.
 */
export function compileSort(statement: Statement, keys: readonly SortKey[], document: string): string[] {
  return keys.flatMap(({ path, direction }) => {
    const value = sortValue(statement, path, direction, document);
    const order = direction === 1 ? 'asc' : 'desc';
    return sortColumns(value).map((column) => `${column} ${order}`);
  });
}

function sortValue(statement: Statement, path: readonly string[], direction: 1 | -1, document: string): string {
  const whole = `${statement.bind(path)}::text[]`;
  const prefixes = path.map((_, index) => (index === path.length - 1 ? whole : `${statement.bind(path.slice(0, index + 1))}::text[]`));
  const isArray = prefixes.map((prefix) => `jsonb_typeof(${document} #> ${prefix}) = 'array'`).join(' or ');
  return `(case when ${isArray} then twinyard_sort_value(${document}, ${whole}, ${direction === 1}) else ${document} #> ${whole} end)`;
}

/** MongoDB sorts an empty array below null and a missing field with null. */
export function sortColumns(value: string): string[] {
  const rank = `(case jsonb_typeof(${value}) when 'number' then 2 when 'string' then 3 when 'object' then 4 when 'boolean' then 8
    when 'array' then case when ${value} = '[]' then 0 else 5 end else 1 end)`;
  const number = `(case jsonb_typeof(${value}) when 'number' then (${value})::float8 when 'boolean' then (${value})::boolean::int::float8 end)`;
  const text = `(case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end) collate "C"`;
  return [rank, number, text];
}
