import { checkCollectionName } from '../collection-name';
import type { CollectionOptions, DocumentTx, IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { checkIndexSpec, isText, isThere, isUnique } from '../indexes/index-spec';
import type { PgConnection } from './connection.adapter';
import type { FilterIndex } from './index-prefilter';
import { SCHEMA } from './schema/schema';
import { SORT_FUNCTION } from './schema/sort-function';
import { Statement } from './statement';
import { requireSupportedServer } from './supported-server';
import { textVector } from './text-search';
import type { SqlTx } from '@twinyard/service-kit';
import { translateWriteError } from './write-errors';

/** Contract 2.5. */
const MAX_INDEXES = 64;
/** How long another instance's new index may stay unused (it is correct without). */
const CACHE_MS = 5_000;
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
}

/** Collections and their indexes: one table each, named in `document_collections` and `document_indexes`. */
export class CollectionCatalogue {
  private readonly cache = new Map<string, { readonly until: number; readonly indexes: CollectionIndexes }>();

  constructor(private readonly connection: PgConnection) {}

  async install(): Promise<void> {
    await this.exclusively(SCHEMA_OWN, async (tx) => {
      const [server] = await tx.query<{ server_version_num: string }>('show server_version_num');
      requireSupportedServer(server?.server_version_num ?? '');
      for (const statement of [...SCHEMA, SORT_FUNCTION]) await tx.query(statement);
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

  async dropIndex(collection: string, name: string): Promise<boolean> {
    tableOf(collection);
    const dropped = await this.exclusively(collection, async (tx) => {
      const [row] = await tx.query<IndexRow>('delete from document_indexes where collection = $1 and name = $2 returning id, spec', [collection, name]);
      if (row) await tx.query(`drop index if exists "doc_index_${row.id}", "doc_index_${row.id}_nulls"`);
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
    const statement = new Statement();
    const rows = await this.connection.read<IndexRow>(`select id, spec from document_indexes where collection = ${statement.bind(collection)} order by id`, statement, tx);
    return rows.map((row) => row.spec);
  }

  /**
   * Within a transaction on its own connection: one that waited for a second could wait for those that wait for it. `asNow`: what
   * another process has just changed is in it; without a text index `$text` has no answer, whereas other queries are only slower.
   */
  async indexesOf(collection: string, { tx, asNow }: { readonly tx?: DocumentTx | undefined; readonly asNow: boolean }): Promise<CollectionIndexes> {
    const known = this.cache.get(collection);
    if (known && known.until > Date.now() && !asNow) return known.indexes;
    const specs = await this.list(collection, tx);
    const text = specs.find(isText);
    const filters = specs.filter((spec) => !isText(spec)).map((spec) => ({ path: parsePath(Object.keys(spec.key)[0] as string, 'key') }));
    const indexes = { filters, ...(text && { text }), isUnique: specs.some(isUnique) };
    this.cache.set(collection, { until: Date.now() + CACHE_MS, indexes });
    return indexes;
  }

  private async makeIndex(tx: SqlTx, collection: string, table: string, index: IndexSpec): Promise<void> {
    const there = await tx.query<IndexRow>('select id, spec from document_indexes where collection = $1', [collection]);
    if (isThere(there.map((row) => row.spec), index, MAX_INDEXES)) return;
    const [row] = await tx.query<IndexRow>('insert into document_indexes (collection, name, spec) values ($1, $2, $3) returning id, spec', [collection, index.options.name, JSON.stringify(index)]);
    const make = async (kind: string, name: string, { template, values }: Definition) => {
      // PostgreSQL takes no parameters here, so it quotes the caller's paths itself.
      const [ddl] = await tx.query<{ text: string }>(`select format($1, variadic $2::text[]) as text`, [template, values]);
      await tx.query(`create ${kind} "doc_index_${row?.id}${name}" on ${table} ${ddl?.text}`);
    };
    if (isText(index)) return make('index', '', textIndex(index));
    if (!isUnique(index)) return make('index', '', fieldIndex(index));
    await make('unique index', '', fieldIndex(index));
    await make('unique index', '_nulls', nullsIndex(index));
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

/** PostgreSQL's text form of an array. */
const arrayText = (path: readonly string[]) => `{${path.map((step) => `"${step.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;

/** For `format`. */
interface Definition {
  readonly template: string;
  readonly values: readonly string[];
}

function fieldIndex(index: IndexSpec): Definition {
  const entries = Object.entries(index.key);
  const columns = entries.map(([, direction]) => `(doc #> %L::text[]) ${direction === -1 ? 'desc' : 'asc'}`);
  return { template: `(part, ${columns.join(', ')})`, values: entries.map(([path]) => arrayText(parsePath(path, 'key'))) };
}

/**
 * To the index itself `null` and a missing field are two values, as queries tell them apart: that they are one is held by another, of these
 * documents alone. Where a path goes through an array, what lies behind it is not told, and nothing is held.
 */
function nullsIndex(index: IndexSpec): Definition {
  const steps = Object.keys(index.key).map((path) => parsePath(path, 'key'));
  const paths = steps.map(arrayText);
  const onTheWay = steps.flatMap((path) => path.slice(1).map((_, place) => arrayText(path.slice(0, place + 1))));
  const columns = paths.map(() => `nullif(doc #> %L::text[], 'null')`);
  const someNull = `(${columns.map((column) => `${column} is null`).join(' or ')})`;
  const noArray = onTheWay.map(() => `jsonb_typeof(doc #> %L::text[]) is distinct from 'array'`);
  return { template: `(part, ${columns.join(', ')}) nulls not distinct where ${[someNull, ...noArray].join(' and ')}`, values: [...paths, ...paths, ...onTheWay] };
}

function textIndex(index: IndexSpec): Definition {
  const values: string[] = [];
  const literal = (value: string) => {
    values.push(value);
    return '%L';
  };
  return { template: `using gin ((${textVector(index, 'doc', literal)}))`, values };
}
