import type { LinkCondition, LinkTerm } from '../links';
import type { TargetedQuery } from '../document-store';
import { type CompiledFind, pageRows, totalOf } from './page-statement';
import type { Statement } from './statement';

/** A term whose collections have become tables, and its filters SQL. */
export interface CompiledTerm {
  readonly links: LinkTerm['links'];
  readonly linksTable: string;
  readonly targets: readonly { readonly owner: string; readonly table: string; readonly where: string }[];
}

export interface LinkedPageRow {
  readonly list: string;
  readonly total: number;
}

/**
 * A page, what of it is linked, and the total in one statement. Sets all the way: the links of a whole page are found in the order of their index, and so
 * are the documents that they lead to; asked for each row on its own (`exists`) both are found at random, for half as much time again. A term looks only
 * at what the terms before it have left open. `in` as a column, not as a condition, is looked up in a hash: the planner believes these sets to have a row or
 * two and would go through one for each row of the other.
 */
export function linkedPageStatement(statement: Statement, find: CompiledFind, wanted: TargetedQuery, { every, terms }: Pick<LinkCondition, 'every'> & { readonly terms: readonly CompiledTerm[] }): string {
  const steps = [`open0 as materialized (select id, row_number() over () as place from (${pageRows(statement, 'id', find, wanted)}) page)`];
  for (const [index, term] of terms.entries()) steps.push(...termSteps(statement, term, index, every));
  const last = `open${terms.length}`;
  const kept = every ? last : `(select id, place from open0 where id not in (select id from ${last}))`;
  return `with ${steps.join(', ')}
    select coalesce(string_agg(doc::text, ',' order by place), '') as list, (select ${totalOf(statement, 'found', find, wanted)} from (select count(*) as found from open0) page) as total
    from ${kept} kept join ${find.table} near on near.part = ${statement.bind(wanted.target.partition)} and near.id = kept.id`;
}

function termSteps(statement: Statement, { links: { in: { partition }, near, far }, linksTable, targets }: CompiledTerm, index: number, every: boolean): string[] {
  const [before, links, ends] = [`open${index}`, `links${index}`, `ends${index}`];
  if (targets.length === 0) return [`open${index + 1} as materialized (select id, place from ${before} where ${String(!every)})`];
  const field = (name: string) => `${statement.bind([name])}::text[]`;
  const text = (name: string) => `(doc #>> ${field(name)}) collate "C"`;
  const prefix = `${statement.bind(near.prefix)}::text`;
  const ofTargets = targets.map(({ owner, table, where }) => {
    const own = statement.bind(owner);
    const named = (column: string) => `any(array(select ${column} from ${links} where owner = ${own}::text))`;
    return `select ${own}::text as owner, part, id from ${table} where part = ${named('distinct part')} and id = ${named('id')} and ${where}`;
  });
  return [
    `${links} as materialized (select substr(${text(near.field)}, length(${prefix}) + 1) as near, ${text(far.owner)} as owner, ${text(far.partition)} as part, ${text(far.id)} as id from ${linksTable}
      where part = ${statement.bind(partition)} and (doc #> ${field(near.field)}) = any(array(select to_jsonb(${prefix} || id) from ${before}))
        and ${text(far.owner)} = any(${statement.bind(targets.map(({ owner }) => owner))}::text[]))`,
    `${ends} as materialized (${ofTargets.join(' union all ')})`,
    `open${index + 1} as materialized (select id, place from (select id, place, id in (select near from (
        select near, (owner, part, id) in (select owner, part, id from ${ends}) as is_met from ${links} offset 0) reached where is_met) as is_linked from ${before} offset 0) term where is_linked = ${String(every)})`,
  ];
}
