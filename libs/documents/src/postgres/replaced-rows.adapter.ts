import type { DocumentTx } from '../document-store';
import type { PgConnection } from './connection.adapter';

/** What takes the places of rows: a JSON list of documents, and how many bytes each is. */
export interface NewRows {
  readonly table: string;
  readonly part: string;
  readonly list: string;
  readonly sizes: readonly number[];
}

export interface ReplacedRow {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

export function replaceInPlace(connection: PgConnection, tx: DocumentTx, { table, part, list, sizes }: NewRows): Promise<ReplacedRow[]> {
  return connection.write<ReplacedRow>(tx, `with changed as (
      update ${table} t set doc = d, bytes = ($3::int[])[n] from jsonb_array_elements($2::jsonb) with ordinality as input(d, n)
      where t.part = $1 and t.id = d ->> '_id' returning t.id, old.bytes as before, new.bytes as after)
    select id, before, after from changed`, [part, list, sizes]);
}

/**
 * PostgreSQL looks at a unique index row by row, so two documents that exchange their values would be in each other's way: all of them
 * are taken out first. They keep their places in the order of creation.
 */
export async function replaceAnew(connection: PgConnection, tx: DocumentTx, { table, part, list, sizes }: NewRows): Promise<ReplacedRow[]> {
  const gone = await connection.write<{ id: string; seq: string; bytes: number }>(tx, `with gone as (
      delete from ${table} where part = $1 and id in (select d ->> '_id' from jsonb_array_elements($2::jsonb) d) returning id, seq, bytes)
    select id, seq::text as seq, bytes from gone`, [part, list]);
  return connection.write<ReplacedRow>(tx, `with input as (
      select distinct on (id) g.id, g.seq, g.bytes as before, ($3::int[])[n] as after, d
      from unnest($4::text[], $5::bigint[], $6::int[]) as g(id, seq, bytes)
      join jsonb_array_elements($2::jsonb) with ordinality as given(d, n) on d ->> '_id' = g.id order by id, n desc
    ), made as (
      insert into ${table} (part, seq, id, bytes, doc) overriding system value select $1, seq, id, after, d from input)
    select id, before, after from input`, [part, list, sizes, gone.map(({ id }) => id), gone.map(({ seq }) => seq), gone.map(({ bytes }) => bytes)]);
}
