import type { FindQuery } from '../document-store';
import type { Statement } from './statement';
import type { LightList } from './heavy-pages.adapter';
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

export interface PageRow extends Partial<Pick<LightList, 'rest'>> {
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
export function pageStatement(statement: Statement, find: CompiledFind, bounds: Bounds, lightBytes: number): string {
  if (isOneRow(find, bounds)) return `select true as paged, doc::text as list from (${pageRows(statement, 'doc', find, bounds)}) one`;
  const { isLight, rest } = weighing(lightBytes);
  return `select true as paged, list, shown::float8 as count, ${totalOf(statement, 'found', find, bounds)} as total, rest
    from (select coalesce(string_agg(written, ',') filter (where ${isLight}), '') as list, count(*) as found, count(*) filter (where ${isLight}) as shown, ${rest()} as rest
      from (${weighedRows(pageRows(statement, 'id, doc, bytes', find, bounds), lightBytes)}) one) page`;
}

/** A row for each document, as a text; those that weigh too much together come as null. */
export function documentRows(statement: Statement, find: CompiledFind, bounds: Bounds, mostBytes: number): string {
  if (isOneRow(find, bounds)) return pageRows(statement, 'doc::text as doc', find, bounds);
  return textsWithin(pageRows(statement, 'doc, bytes', find, bounds), mostBytes);
}

/** Of rows with `doc` and `bytes`. */
export const textsWithin = (rows: string, mostBytes: number): string => `select case when ${weighing(mostBytes).isLight} then written end as doc from (${weighedRows(rows, mostBytes)}) one`;

/**
 * With the text that goes out, as far as it may fit, and with what each row and those before it weigh. JSONB is written with spaces, and 1e300 with all of its digits:
 * that is up to fifty times the `bytes` of a document, and never less. `offset 0` keeps the planner from writing a text out anew wherever it is named.
 */
export const weighedRows = (rows: string, mostBytes: number, order = ''): string =>
  `select *, sum(coalesce(octet_length(written), bytes)) over (${order} rows unbounded preceding) as upto from (
    select *, case when stored <= ${mostBytes} or stored = bytes then doc::text end as written from (
      select *, sum(bytes) over (${order} rows unbounded preceding) as stored from (${rows}) kept) placed offset 0) weighed`;

/** What comes at once, one always, and of the others what they are found by, with columns of one's own behind it. */
export const weighing = (lightBytes: number) => {
  const isLight = `written is not null and (upto <= ${lightBytes} or upto = octet_length(written))`;
  return { isLight, rest: (order = '', more = '') => `json_agg(json_build_array(id, bytes${more})${order}) filter (where not (${isLight}))` };
};

export interface PartRow {
  readonly ids: readonly string[];
  /** From 1. */
  readonly places: readonly number[];
  /** A line each. */
  readonly texts: string;
  /** The first place that there was no room for. */
  readonly leftAt: number | null;
}

interface PartSource extends Pick<CompiledFind, 'table' | 'where'> {
  readonly ids: readonly string[];
  readonly mostBytes: number;
}

/** Documents by their ids, in the order of these, as far as they go; what is gone, or has left the filter, is missing. */
export function partStatement(statement: Statement, { table, where, ids, mostBytes }: PartSource): string {
  const wanted = `${statement.bind(ids)}::text[]`;
  const isLight = `upto <= ${mostBytes} or upto = octet_length(written)`;
  return `select coalesce(json_agg(id order by place) filter (where ${isLight}), '[]') as ids, coalesce(json_agg(place order by place) filter (where ${isLight}), '[]') as places,
      coalesce(string_agg(written, E'\\n' order by place) filter (where ${isLight}), '') as texts, (min(place) filter (where not (${isLight})))::int as "leftAt"
    from (select *, sum(octet_length(written)) over (order by place rows unbounded preceding) as upto
      from (select page.id, page.place, found.doc::text as written from unnest(${wanted}) with ordinality as page(id, place)
        join (select id, doc from ${table} where ${where} and id = any(${wanted})) found on found.id = page.id offset 0) read) one`;
}

/** A row for each document, with the columns of the page that it stands beside. */
export function besideStatement(statement: Statement, find: CompiledFind, bounds: Bounds, isBesideOne: boolean): string {
  return `select false as paged, doc::text as list${isBesideOne ? '' : ', 1::float8 as count, 1::float8 as total, null::json as rest'} from (${pageRows(statement, 'doc', find, bounds)}) one`;
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
