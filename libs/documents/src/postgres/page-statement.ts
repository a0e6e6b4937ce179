import type { FindQuery } from '../document-store';
import type { Statement } from './statement';
import type { RowOfTexts } from './text-read.adapter';

/** A compiled query: table, condition and order. */
export interface CompiledFind {
  readonly table: string;
  /** Stands behind the table. */
  readonly from: string;
  readonly where: string;
  readonly order: string;
  /** The partition whole, in the order of creation. */
  readonly isWhole: boolean;
  /** Of the one document that it names, so that there is nothing to put in order or to count. */
  readonly id: string | undefined;
}

export interface PageRow {
  /** Of the page, not of what is found beside it. */
  readonly paged: boolean;
  readonly list: string;
  /** Not where a row is one document. */
  readonly count?: number;
  readonly total?: number;
}

type Bounds = Pick<FindQuery, 'limit' | 'skip'>;

/**
 * All that a page and its total need in one statement of one row; of none when the only document that it could be is not there. Documents become text behind the limit:
 * before it, it would be done for every row that is sorted.
 */
export function pageStatement(statement: Statement, find: CompiledFind, bounds: Bounds): string {
  const rows = pageRows(statement, 'doc', find, bounds);
  if (isOneRow(find, bounds)) return `select true as paged, doc::text as list from (${rows}) one`;
  return `select true as paged, list, found::float8 as count, ${totalOf(statement, 'found', find, bounds)} as total
    from (select coalesce(string_agg(doc::text, ','), '') as list, count(*) as found from (${rows}) one) page`;
}

/** A row for each document, with the columns of the page that it stands beside. */
export function besideStatement(statement: Statement, find: CompiledFind, bounds: Bounds, isBesideOne: boolean): string {
  return `select false as paged, doc::text as list${isBesideOne ? '' : ', 1::float8 as count, 1::float8 as total'} from (${pageRows(statement, 'doc', find, bounds)}) one`;
}

export const isOneRow = ({ id }: CompiledFind, { limit, skip = 0 }: Bounds) => id !== undefined && limit > 0 && skip === 0;

/** Of a statement of single documents. */
export const PAGE_ROW: RowOfTexts = ([paged, list]): PageRow => ({ paged: paged === 't', list: list ?? '' });

/**
 * The rows of a page, in its order. What is one row needs neither order nor bounds: to plan these, and a total of it, took the server four times as long as to
 * find it. What lies before a page of everything is counted in the index alone, which knows the order of creation: rows that are passed over one by one are
 * read for it, a hundred thousand of them in six times the time.
 */
export function pageRows(statement: Statement, columns: string, find: CompiledFind, { limit, skip = 0 }: Bounds): string {
  const { table, from, where, order, isWhole } = find;
  if (isOneRow(find, { limit, skip })) return `select ${columns} from ${table} where ${where}`;
  const most = `${statement.bind(limit)}::bigint`;
  const first = `${statement.bind(skip)}::bigint`;
  if (!isWhole || skip === 0) return `select ${columns} from ${table}${from} where ${where} order by ${order} limit ${most} offset ${first}`;
  return `select ${columns} from ${table} where ${where} and seq >= (select seq from ${table} where ${where} order by seq limit 1 offset ${first}) order by seq limit ${most}`;
}

/** Counted is only what a full page leaves open (`totalFrom` in SQL). `found`: SQL of how many rows the page has. */
export function totalOf(statement: Statement, found: string, { table, where }: CompiledFind, { limit, skip = 0 }: Bounds): string {
  const [most, first] = [`${statement.bind(limit)}::bigint`, `${statement.bind(skip)}::bigint`];
  return `(case when ${found} < ${most} and (${found} > 0 or ${first} = 0) then ${first} + ${found} else (select count(*) from ${table} where ${where}) end)::float8`;
}
