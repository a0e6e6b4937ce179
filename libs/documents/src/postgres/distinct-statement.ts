import type { Path } from '../filter/ast';
import { arrayOnTheWay, sortColumns } from './sort-compiler';
import type { Statement } from './statement';

export interface DistinctRows {
  readonly table: string;
  readonly where: string;
  readonly limit: number;
  /** Of all values together; those beyond come without a count. */
  readonly maxBytes: number;
}

/**
 * What a path leads to in these rows, each value once, in BSON order, with how many documents hold it. Most documents have one value there, which is
 * taken as it stands; only where an array lies at the end of the path or on the way to it does the function run that looks into arrays, which is ten
 * times the work. An empty array and a missing field have no value; `[[1]]` is how the function says that [1] is an element.
 */
export function distinctStatement(statement: Statement, path: Path, { table, where, limit, maxBytes }: DistinctRows): string {
  const whole = `${statement.bind(path)}::text[]`;
  const elements = `array(select distinct case when jsonb_typeof(x) = 'array' then x -> 0 else x end from twinyard_values(doc, ${whole}) x where x is not null and x <> '[]')`;
  const isInArrays = `${arrayOnTheWay(statement, path, 'doc')} or jsonb_typeof(raw) = 'array'`;
  const rows = `select v, count(*)::float8 as count from (
      select unnest(case when ${isInArrays} then ${elements} else array[raw] end) as v from (select doc, doc #> ${whole} as raw from ${table} where ${where} offset 0) taken
    ) values_of where v is not null group by v order by ${sortColumns('v').join(', ')}, v limit ${statement.bind(limit)}::bigint`;
  const weighed = `select v, count, sum(octet_length(v::text)) over (rows unbounded preceding) as upto from (${rows}) found`;
  return `select case when upto <= ${maxBytes} then v end as value, case when upto <= ${maxBytes} then count end as count from (${weighed}) value`;
}
