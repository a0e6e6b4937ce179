import type { FindQuery } from '../document-store';
import type { Statement } from './statement';

/** A compiled query: table, condition and order. */
export interface CompiledFind {
  readonly table: string;
  /** Stands behind the table. */
  readonly from: string;
  readonly where: string;
  readonly order: string;
}

export interface PageRow {
  /** Of the page, not of what is found beside it. */
  readonly paged: boolean;
  readonly list: string;
  readonly count: number;
  readonly total: number;
}

/** All that a page and its total need in one statement of one row; counted is only what a full page leaves open (`totalFrom` in SQL). */
export function pageStatement(statement: Statement, find: CompiledFind, { limit, skip = 0 }: FindQuery): string {
  const [most, first] = [`${statement.bind(limit)}::bigint`, `${statement.bind(skip)}::bigint`];
  return `select true as paged, list, found::float8 as count, (case when found < ${most} and (found > 0 or ${first} = 0) then ${first} + found
      else (select count(*) from ${find.table} where ${find.where}) end)::float8 as total
    from (select coalesce(string_agg(text, ','), '') as list, count(*) as found
      from (select doc::text as text from ${find.table}${find.from} where ${find.where} order by ${find.order} limit ${most} offset ${first}) one) page`;
}

/** A row for each document. */
export function besideStatement(statement: Statement, find: CompiledFind, { limit, skip = 0 }: FindQuery): string {
  return `select false as paged, text as list, 1::float8 as count, 1::float8 as total
    from (select doc::text as text from ${find.table}${find.from} where ${find.where} order by ${find.order}
      limit ${statement.bind(limit)}::bigint offset ${statement.bind(skip)}::bigint) one`;
}
