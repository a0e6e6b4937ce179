import type { LinkCondition, LinkTerm } from '../links';
import type { TargetedQuery } from '../document-store';
import type { LightList } from './heavy-pages.adapter';
import { type CompiledFind, pageRows, totalOf, weighedRows, weighing } from './page-statement';
import type { Statement } from './statement';

/** A term whose collections have become tables, and its filters SQL. */
export interface CompiledTerm {
  readonly links: LinkTerm['links'];
  readonly linksTable: string;
  readonly targets: readonly { readonly owner: string; readonly table: string; readonly where: string }[];
}

export interface CompiledCondition extends Pick<LinkCondition, 'every'> {
  readonly lightBytes: number;
  readonly terms: readonly CompiledTerm[];
}

export interface PageIdsRow {
  readonly ids: readonly string[];
  readonly total: number;
}

export interface LinkedPageRow extends LightList {
  readonly total: number;
}

/**
 * A page, what of it is linked, and the total in one statement. Sets all the way: the links of a whole page are found in the order of their index, and so
 * are the documents that they lead to; asked for each row on its own (`exists`) both are found at random, for half as much time again. A term looks only
 * at what the terms before it have left open. `in` as a column, not as a condition, is looked up in a hash: the planner believes these sets to have a row or
 * two and would go through one for each row of the other.
 */
export function linkedPageStatement(statement: Statement, find: CompiledFind, wanted: TargetedQuery, condition: CompiledCondition): string {
  const open = `select id, row_number() over () as place from (${pageRows(statement, 'id', find, wanted)}) page`;
  return `${linkedList(statement, open, { ...condition, near: `${find.table} near on near.part = ${statement.bind(wanted.target.partition)}` })},
    (select ${totalOf(statement, 'found', find, wanted)} from (select count(*) as found from open0) page) as total from listed`;
}

/** The same of documents whose ids are known. */
export function linkedAmongStatement(statement: Statement, { table, partition, ids }: { readonly table: string; readonly partition: string; readonly ids: readonly string[] }, condition: CompiledCondition): string {
  const open = `select id, place from unnest(${statement.bind(ids)}::text[]) with ordinality as page(id, place)`;
  return `${linkedList(statement, open, { ...condition, near: `${table} near on near.part = ${statement.bind(partition)}` })}, 0::float8 as total from listed`;
}

/** The ids of a page, and the total: in the order of creation what lies before it was passed over already, and only what lies behind is left to be counted. */
export function pageIdsStatement(statement: Statement, find: CompiledFind, wanted: TargetedQuery): string {
  return `select ids, ${find.isWhole ? totalBehind(statement, find, wanted) : totalOf(statement, 'found', find, wanted)} as total
    from (select coalesce(json_agg(id), '[]') as ids, count(*) as found, max(seq) as last from (${pageRows(statement, 'id, seq', find, wanted)}) one) page`;
}

function totalBehind(statement: Statement, find: CompiledFind, wanted: TargetedQuery): string {
  const before = `${statement.bind(wanted.skip ?? 0)}::bigint`;
  return `case when found > 0 then (${before} + found + (select count(*) from ${find.table} where ${find.where} and seq > last))::float8 else ${totalOf(statement, 'found', find, wanted)} end`;
}

/** Ends after the first columns, `list` and `rest`. */
function linkedList(statement: Statement, open: string, { every, terms, near, lightBytes }: CompiledCondition & { readonly near: string }): string {
  const steps = [`open0 as materialized (${open})`, ...terms.flatMap((term, index) => termSteps(statement, term, index, every))];
  const last = `open${terms.length}`;
  const kept = every ? last : `(select id, place from open0 where id not in (select id from ${last}))`;
  const { isLight, rest } = weighing(lightBytes);
  const rows = weighedRows(`select near.id, doc, bytes, place from ${kept} kept join ${near} and near.id = kept.id`, lightBytes, 'order by place');
  return `with ${steps.join(', ')}, listed as (select coalesce(string_agg(written, ',' order by place) filter (where ${isLight}), '') as list, ${rest(' order by place', ', place')} as rest from (${rows}) row) select list, rest`;
}

function termSteps(statement: Statement, { links: { in: { partition }, near, far }, linksTable, targets }: CompiledTerm, index: number, every: boolean): string[] {
  const [before, links, ends] = [`open${index}`, `links${index}`, `ends${index}`];
  if (targets.length === 0) return [`open${index + 1} as materialized (select id, place from ${before} where ${String(!every)})`];
  const text = (name: string) => `(doc ->> ${statement.bind(name)}::text) collate "C"`;
  const indexed = (name: string) => `(doc #> ${statement.bind([name])}::text[])`;
  const prefix = `${statement.bind(near.prefix)}::text`;
  const owners = statement.bind(targets.map(({ owner }) => JSON.stringify(owner)));
  // Of one target all links lead to the same owner.
  const owner = targets.length === 1 ? `''::text` : text(far.owner);
  const ofTargets = targets.map((target) => {
    const own = targets.length === 1 ? `''::text` : `${statement.bind(target.owner)}::text`;
    const named = (column: string) => `any(array(select ${column} from ${links} where owner = ${own}))`;
    return `select ${own} as owner, part, id from ${target.table} where part = ${named('distinct part')} and id = ${named('id')} and ${target.where}`;
  });
  return [
    `${links} as materialized (select substr(${text(near.field)}, length(${prefix}) + 1) as near, ${owner} as owner, ${text(far.partition)} as part, ${text(far.id)} as id from ${linksTable}
      where part = ${statement.bind(partition)} and ${indexed(near.field)} = any(array(select to_jsonb(${prefix} || id) from ${before})) and ${indexed(far.owner)} = any(${owners}::jsonb[]))`,
    `${ends} as materialized (${ofTargets.join(' union all ')})`,
    `open${index + 1} as materialized (select id, place from (select id, place, id in (select near from (
        select near, (owner, part, id) in (select owner, part, id from ${ends}) as is_met from ${links} offset 0) reached where is_met) as is_linked from ${before} offset 0) term where is_linked = ${String(every)})`,
  ];
}
