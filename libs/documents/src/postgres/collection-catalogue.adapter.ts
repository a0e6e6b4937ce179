import { checkCollectionName } from '../collection-name';
import type { CollectionOptions, DocumentTx, IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { checkIndexSpec, isText, isThere, isUnique } from '../indexes/index-spec';
import type { PgConnection } from './connection.adapter';
import { SnapshotTx } from './cursor-connection.adapter';
import { type Definition, definitionsOf } from './index-definition';
import type { FilterIndex } from './index-prefilter';
import { INDEX_FUNCTIONS } from './schema/index-functions';
import { SCHEMA } from './schema/schema';
import { SORT_FUNCTION } from './schema/sort-function';
import { Statement } from './statement';
import { requireSupportedServer } from './supported-server';
import type { SqlTx } from '@twinyard/service-kit';
import { translateWriteError } from './write-errors';

/** Contract 2.5. */
const MAX_INDEXES = 64;
/** How long another instance's new index may stay unused (it is correct without). */
const CACHE_MS = 5_000;
/** How indexes are made now. Those of another form are neither asked nor counted on until they are made anew. */
const FORM = 2;
/** Under which the adapter's own tables and functions are made; no collection has it. */
const SCHEMA_OWN = '';

export const tableOf = (collection: string) => `"doc_${checkCollectionName(collection)}"`;

export interface CollectionIndexes {
  readonly filters: readonly FilterIndex[];
  readonly text?: IndexSpec;
  /** One of them is. */
  readonly isUnique: boolean;
}

interface IndexRow {
  readonly id: string;
  readonly spec: IndexSpec;
  /** NULL: as it was made before there were forms. */
  readonly form: number | null;
}

const isOld = ({ spec, form }: IndexRow) => form !== FORM && spec.options.isShort !== true;

/** Collections and their indexes: one table each, named in `document_collections` and `document_indexes`. */
export class CollectionCatalogue {
  private readonly cache = new Map<string, { readonly until: number; readonly indexes: CollectionIndexes }>();

  constructor(private readonly connection: PgConnection) {}

  async install(): Promise<void> {
    await this.exclusively(SCHEMA_OWN, async (tx) => {
      const [server] = await tx.query<{ server_version_num: string }>('show server_version_num');
      requireSupportedServer(server?.server_version_num ?? '');
      for (const statement of [...SCHEMA, SORT_FUNCTION, ...INDEX_FUNCTIONS]) await tx.query(statement);
    });
  }

  async create(name: string, options: CollectionOptions): Promise<void> {
    const table = tableOf(name);
    await this.exclusively(name, async (tx) => {
      const made = await tx.query('insert into document_collections (name, all_fields) values ($1, $2) on conflict do nothing returning name', [name, options.indexAllFields ?? false]);
      if (made.length === 0) return;
      await tx.query(`create table ${table} (part text collate "C" not null, seq bigint generated always as identity,
        id text collate "C" not null, bytes int not null, doc jsonb not null, primary key (part, id))`);
      await tx.query(`create index on ${table} (part, seq)`);
      if (options.indexAllFields) await tx.query(`create index on ${table} using gin (doc jsonb_path_ops)`);
    });
    for (const index of options.indexes ?? []) await this.createIndex(name, index);
  }

  async drop(name: string): Promise<void> {
    const table = tableOf(name);
    await this.exclusively(name, async (tx) => {
      await tx.query(`drop table if exists ${table}`);
      await tx.query('delete from document_indexes where collection = $1', [name]);
      await tx.query('delete from document_readings where collection = $1', [name]);
      await tx.query('delete from document_collections where name = $1', [name]);
    });
    this.cache.delete(name);
  }

  async createIndex(collection: string, index: IndexSpec): Promise<void> {
    const table = tableOf(collection);
    checkIndexSpec(index);
    try {
      await this.exclusively(collection, (tx) => this.makeIndex(tx, collection, table, index));
    } catch (error) {
      throw translateWriteError(error);
    }
    this.cache.delete(collection);
  }

  async renewIndexes(): Promise<void> {
    const statement = new Statement();
    const old = `form is distinct from ${statement.bind(FORM)} and spec #>> '{options,isShort}' is distinct from 'true'`;
    const rows = await this.connection.read<{ readonly id: string; readonly collection: string }>(`select id, collection from document_indexes where ${old} order by id`, statement);
    for (const { id, collection } of rows) await this.exclusively(collection, (tx) => this.renew(tx, collection, id));
  }

  async dropIndex(collection: string, name: string): Promise<boolean> {
    tableOf(collection);
    const dropped = await this.exclusively(collection, async (tx) => {
      const [row] = await tx.query<IndexRow>('delete from document_indexes where collection = $1 and name = $2 returning id, spec, form', [collection, name]);
      if (row) await removeIndex(tx, row);
      return row !== undefined;
    });
    this.cache.delete(collection);
    return dropped;
  }

  /** Which of them there are. */
  async existing(names: readonly string[]): Promise<ReadonlySet<string>> {
    const statement = new Statement();
    const rows = await this.connection.read<{ name: string }>(`select name from document_collections where name = any(${statement.bind(names)}::text[])`, statement);
    return new Set(rows.map(({ name }) => name));
  }

  async list(collection: string, tx?: DocumentTx): Promise<IndexSpec[]> {
    return (await this.rowsOf(collection, tx)).map((row) => row.spec);
  }

  private rowsOf(collection: string, tx?: DocumentTx): Promise<IndexRow[]> {
    const statement = new Statement();
    return this.connection.read<IndexRow>(`select id, spec, form from document_indexes where collection = ${statement.bind(collection)} order by id`, statement, tx);
  }

  /**
   * Within a transaction on its own connection: one that waited for a second could wait for those that wait for it. `asNow`: what
   * another process has just changed is in it; without a text index `$text` has no answer, whereas other queries are only slower.
   */
  async indexesOf(collection: string, { tx, asNow }: { readonly tx?: DocumentTx | undefined; readonly asNow: boolean }): Promise<CollectionIndexes> {
    const known = this.cache.get(collection);
    if (known && known.until > Date.now() && !asNow) return known.indexes;
    const rows = await this.rowsOf(collection, tx);
    const specs = rows.map(({ spec }) => spec);
    const text = specs.find(isText);
    const filters = rows.filter((row) => !isText(row.spec) && !isOld(row)).map(({ spec }) => ({ path: parsePath(Object.keys(spec.key)[0] as string, 'key'), spec }));
    const indexes = { filters, ...(text && { text }), isUnique: specs.some(isUnique) };
    // What a snapshot tells is of its moment, which may be long ago.
    if (!(tx instanceof SnapshotTx)) this.cache.set(collection, { until: Date.now() + CACHE_MS, indexes });
    return indexes;
  }

  private async makeIndex(tx: SqlTx, collection: string, table: string, index: IndexSpec): Promise<void> {
    const there = await tx.query<IndexRow>('select id, spec, form from document_indexes where collection = $1', [collection]);
    if (isThere(there.map((row) => row.spec), index, MAX_INDEXES)) return this.learnShort(tx, there, index);
    const [row] = await tx.query<IndexRow>('insert into document_indexes (collection, name, spec, form) values ($1, $2, $3, $4) returning id, spec, form', [collection, index.options.name, JSON.stringify(index), FORM]);
    for (const definition of definitionsOf(index)) await addIndex(tx, table, row as IndexRow, definition);
  }

  /** An index that was made before there were forms holds values as they are, which is right where they are short. */
  private async learnShort(tx: SqlTx, there: readonly IndexRow[], { options }: IndexSpec): Promise<void> {
    const row = there.find(({ spec }) => spec.options.name === options.name);
    if (row === undefined || row.form !== null || row.spec.options.isShort === options.isShort) return;
    await tx.query('update document_indexes set spec = $2 where id = $1', [row.id, JSON.stringify({ ...row.spec, options })]);
  }

  /** Unless somebody has done it, or dropped it, meanwhile. */
  private async renew(tx: SqlTx, collection: string, id: string): Promise<void> {
    const [row] = await tx.query<IndexRow>('select id, spec, form from document_indexes where id = $1', [id]);
    if (row === undefined || !isOld(row)) return;
    await removeIndex(tx, row);
    for (const definition of definitionsOf(row.spec)) await addIndex(tx, tableOf(collection), row, definition);
    await tx.query('update document_indexes set form = $2 where id = $1', [id, FORM]);
  }

  /** One change of a collection at a time, whichever process makes it. What waits, as an index does for writers, is waited for by nobody elsewhere. */
  private exclusively<T>(collection: string, work: (tx: SqlTx) => Promise<T>): Promise<T> {
    return this.connection.transaction(async (tx) => {
      // An index of a large collection takes its time.
      await tx.query('set local statement_timeout = 0');
      await tx.query(`select pg_advisory_xact_lock(hashtext('twinyard documents'), hashtext($1))`, [collection]);
      return work(tx);
    });
  }
}

async function addIndex(tx: SqlTx, table: string, { id }: IndexRow, { kind, name, template, values }: Definition): Promise<void> {
  // PostgreSQL takes no parameters here, so it quotes the caller's paths itself.
  const [ddl] = await tx.query<{ text: string }>(`select format($1, variadic $2::text[]) as text`, [template, values]);
  await tx.query(`create ${kind} "doc_index_${id}${name}" on ${table} ${ddl?.text}`);
}

const removeIndex = (tx: SqlTx, { id }: IndexRow) => tx.query(`drop index if exists "doc_index_${id}", "doc_index_${id}_nulls"`);
