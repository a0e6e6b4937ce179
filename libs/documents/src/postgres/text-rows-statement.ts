import type { TargetedQuery } from '../document-store';
import type { LinksOf } from '../links';
import type { LightList } from './heavy-pages.adapter';
import { type CompiledFind, pageRows, totalOf, weighedRows, weighing } from './page-statement';
import type { Statement } from './statement';

export interface TextRowsRow extends Pick<LightList, 'rest'> {
  readonly ids: readonly string[];
  /** A line each: no text of JSONB has a line break in it. */
  readonly texts: string;
  readonly total: number;
}

/** One row, however many documents: a row each costs the driver more than finding them costs the server. They become text behind the limit. */
export function textRowsStatement(statement: Statement, find: CompiledFind, wanted: TargetedQuery, lightBytes: number): string {
  const { isLight, rest } = weighing(lightBytes);
  return `select ids, texts, ${totalOf(statement, 'found', find, wanted)} as total, rest
    from (select coalesce(json_agg(id) filter (where ${isLight}), '[]') as ids, coalesce(string_agg(written, E'\\n') filter (where ${isLight}), '') as texts, count(*) as found, ${rest()} as rest
      from (${weighedRows(pageRows(statement, 'id, doc, bytes', find, wanted), lightBytes)}) one) page`;
}

/** The same of ids alone, which weigh nothing. */
export function idRowsStatement(statement: Statement, find: CompiledFind, wanted: TargetedQuery): string {
  return `select ids, '' as texts, ${totalOf(statement, 'found', find, wanted)} as total, null::json as rest
    from (select coalesce(json_agg(id), '[]') as ids, count(*) as found from (${pageRows(statement, 'id', find, wanted)}) one) page`;
}

export interface LinksRow {
  readonly near: readonly string[];
  readonly owner: readonly string[];
  readonly partition: readonly string[];
  readonly id: readonly string[];
}

/** A list for each field, and nothing else of the links. */
export function linksStatement(statement: Statement, table: string, { in: { partition }, near, far, owners, limit }: LinksOf): string {
  const text = (name: string) => `doc ->> ${statement.bind(name)}::text`;
  const indexed = (name: string) => `(doc #> ${statement.bind([name])}::text[])`;
  const names = statement.bind(near.names);
  return `select coalesce(json_agg(near), '[]') as near, coalesce(json_agg(owner), '[]') as owner, coalesce(json_agg(part), '[]') as partition, coalesce(json_agg(id), '[]') as id from (
      select ${text(near.field)} as near, ${text(far.owner)} as owner, ${text(far.partition)} as part, ${text(far.id)} as id from ${table}
      where part = ${statement.bind(partition)} and ${indexed(near.field)} = any(array(select to_jsonb(name) from unnest(${names}::text[]) name))
        and ${indexed(far.owner)} = any(${statement.bind(owners.map((owner) => JSON.stringify(owner)))}::jsonb[])
      order by seq limit ${statement.bind(limit)}::bigint) link`;
}
