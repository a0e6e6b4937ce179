import type { CollectionRef, StoredDocument } from '../document';
import type { DocumentTx, InsertResult } from '../document-store';
import { measureDocuments } from '../measured-documents';
import { tableOf } from './collection-catalogue.adapter';
import type { PgConnection } from './connection.adapter';
import { COPIED_COLUMNS, copyByParts } from './copied-rows';

/** What takes the places of rows: a JSON list of documents, and how many bytes each is. */
export interface NewRows {
  readonly table: string;
  readonly part: string;
  readonly ids: readonly string[];
  readonly list: string;
  readonly sizes: readonly number[];
}

export interface ReplacedRow {
  readonly id: string;
  readonly before: number;
  readonly after: number;
}

/** From here on rows are copied in: it costs a way to the server more, and a sixth of the server's work less (docs/performance/items.md). */
const MANY = 50;

/** One parameter for all documents: 57,000 rows a second where `unnest($1::jsonb[])` gives 33,000. */
const insertInto = (table: string) => `insert into ${table} (part, id, bytes, doc)
  select $1, d ->> '_id', ($3::int[])[n], d from jsonb_array_elements($2::jsonb) with ordinality as input(d, n)`;

const REPLACED = 'returning id, old.bytes as before, new.bytes as after';
const replaceOne = (table: string) => `update ${table} set doc = $3::jsonb, bytes = $4 where part = $1 and id = $2`;

export async function insertRows(connection: PgConnection, tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<InsertResult> {
  const table = tableOf(target.name);
  if (documents.length >= MANY && connection.canCopyIn(tx)) {
    return copyByParts(target, documents, (rows) => connection.copyIn(tx, `copy ${table} (${COPIED_COLUMNS}) from stdin (format binary)`, rows));
  }
  const { list, sizes, bytes } = await measureDocuments(target, documents);
  await connection.writeOften(tx, insertInto(table), [target.partition, `[${list}]`, sizes]);
  return { count: documents.length, bytes, list: Buffer.from(list), sizes };
}

export async function insertRowsLater(connection: PgConnection, tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<void> {
  const { list, sizes } = await measureDocuments(target, documents);
  await connection.writeLater(tx, insertInto(tableOf(target.name)), [target.partition, `[${list}]`, sizes]);
}

export async function replaceRowLater(connection: PgConnection, tx: DocumentTx, target: CollectionRef, document: StoredDocument): Promise<void> {
  const { list, bytes } = await measureDocuments(target, [document]);
  await connection.writeLater(tx, replaceOne(tableOf(target.name)), [target.partition, document._id, list, bytes]);
}

export function replaceInPlace(connection: PgConnection, tx: DocumentTx, { table, part, list, sizes, ids }: NewRows): Promise<ReplacedRow[]> {
  if (ids.length === 1) return connection.writeOften<ReplacedRow>(tx, `${replaceOne(table)} ${REPLACED}`, [part, ids[0], list.slice(1, -1), sizes[0]]);
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
