import type { StoreGroup } from '../aggregation/group-tail';
import { runPipeline } from '../aggregation/run-pipeline';
import { type CollectionRef, type JsonObject, type StoredDocument } from '../document';
import { DocumentStore, type CollectionOptions, type DistinctQuery, type DistinctValue, type DocumentTx, type Filter, type FindQuery, type IndexSpec, type InsertResult, type PageAnswer, type ReplaceResult, type TargetedQuery, type TextRows, type WriteResult } from '../document-store';
import { idNamedIn, isEverything, ParsedFilter, searchesText } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { parsePath } from '../filter/path';
import { findLinked } from '../linked-documents';
import type { Link, LinkCondition, LinkedPage, LinksOf } from '../links';
import { measureDocuments } from '../measured-documents';
import { parseProjection, project, takesIdOnly } from '../projection';
import type { Snapshot, StreamQuery } from '../snapshot';
import { parseSort } from '../sort';
import { documentsIn, projectList, textRowsOf } from '../text-page';
import { CollectionCatalogue, type CollectionIndexes, tableOf } from './collection-catalogue.adapter';
import { PgConnection, type ConnectionOptions, READ_TIMEOUT_MS, REGEX_TIMEOUT_MS } from './connection.adapter';
import type { CursorPlan } from './cursor-connection.adapter';
import { COPIED_COLUMNS, copyByParts } from './copied-rows';
import { compileFilter } from './filter-compiler';
import { compileGroup, toGroups, type GroupRow } from './group-compiler';
import { KnownDocuments } from './known-documents';
import { LinkedReads } from './linked-reads.adapter';
import { besideStatement, type CompiledFind, isOneRow, PAGE_ROW, type PageRow, pageRows, pageStatement } from './page-statement';
import { PostgresReadingStore } from './postgres-reading-store.adapter';
import { PostgresSnapshot } from './postgres-snapshot.adapter';
import { replaceAnew, replaceInPlace } from './replaced-rows.adapter';
import { compileSort } from './sort-compiler';
import { distinctStatement } from './distinct-statement';
import { unlessDropped, unlessTooLarge } from './read-errors';
import { type CompiledPage, ReadyPages } from './ready-pages';
import { Statement } from './statement';
import type { RowOfTexts } from './text-read.adapter';
import { textRowsStatement, type TextRowsRow } from './text-rows-statement';
import { textMatch } from './text-search';

/** Documents in PostgreSQL 18 or newer: a table a collection, one row a document (JSONB). */
export class PostgresDocumentStore extends DocumentStore {
  override readonly readings: PostgresReadingStore;
  private readonly catalogue: CollectionCatalogue;
  private readonly linked: LinkedReads;
  private readonly known = new KnownDocuments();
  private readonly ready = new ReadyPages();

  private constructor(private readonly connection: PgConnection) {
    super();
    this.catalogue = new CollectionCatalogue(connection);
    this.readings = new PostgresReadingStore(connection);
    this.linked = new LinkedReads(connection, {
      find: (statement, wanted) => this.compile(statement, wanted),
      where: (statement, collection, filter) => this.where(statement, collection, parsed(filter)),
      existing: (names) => this.catalogue.existing(names),
    });
  }

  /** Connects and makes the adapter's own tables where they are missing. */
  static async open(options: ConnectionOptions): Promise<PostgresDocumentStore> {
    const store = new PostgresDocumentStore(new PgConnection(options));
    await store.catalogue.install();
    return store;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  override transaction<T>(work: (tx: DocumentTx) => Promise<T>): Promise<T> {
    return this.connection.transaction(work);
  }

  override async insertMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<InsertResult> {
    const table = tableOf(target.name);
    if (documents.length >= MANY && this.connection.canCopyIn(tx)) {
      return copyByParts(target, documents, (rows) => this.connection.copyIn(tx, `copy ${table} (${COPIED_COLUMNS}) from stdin (format binary)`, rows));
    }
    const { list, sizes, bytes } = measureDocuments(target, documents);
    // One parameter for all documents: 57,000 rows a second where `unnest($1::jsonb[])` gives 33,000.
    await this.connection.write(tx, `insert into ${table} (part, id, bytes, doc)
      select $1, d ->> '_id', ($3::int[])[n], d from jsonb_array_elements($2::jsonb) with ordinality as input(d, n)`, [target.partition, `[${list}]`, sizes]);
    return { count: documents.length, bytes, list: Buffer.from(list) };
  }

  override async replaceMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<ReplaceResult> {
    const { list, sizes } = measureDocuments(target, documents);
    const mayExchange = documents.length > 1 && (await this.catalogue.indexesOf(target.name, { tx, asNow: false })).isUnique;
    const replace = mayExchange ? replaceAnew : replaceInPlace;
    const rows = await replace(this.connection, tx, { table: tableOf(target.name), part: target.partition, list: `[${list}]`, sizes });
    const replaced = new Set(rows.map((row) => row.id));
    return {
      count: rows.length,
      bytes: rows.reduce((sum, row) => sum + row.after, 0),
      replacedBytes: rows.reduce((sum, row) => sum + row.before, 0),
      missing: documents.map((document) => document._id).filter((id) => !replaced.has(id)),
    };
  }

  override async deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult> {
    const { statement, where } = await this.prepare(target, filter, tx);
    const sql = `with gone as (delete from ${tableOf(target.name)} where ${where} returning bytes) ${TOTALS} from gone`;
    return toWriteResult(await this.connection.read<TotalsRow>(sql, statement, tx));
  }

  override async snapshot(): Promise<Snapshot> {
    return new PostgresSnapshot(await this.connection.cursors(), {
      documents: (target, query) => this.cursorOver(target, query),
      readings: (target, query) => this.readings.cursorOver(target, query),
    });
  }

  override async find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<StoredDocument[]> {
    const projection = query.projection && parseProjection(query.projection);
    const statement = new Statement();
    const compiled = await this.compile(statement, { target, ...query }, tx);
    const sql = pageRows(statement, `${takesIdOnly(projection) ? ID_ONLY : 'doc'} as doc`, compiled, query);
    if (isOneRow(compiled, query)) statement.byKey = DOCUMENT_ROW;
    const rows = await this.connection.read<{ doc: StoredDocument }>(sql, statement, tx);
    return rows.map((row) => (projection ? project(row.doc, projection) : row.doc));
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    const { statement, where } = await this.prepare(target, filter, tx);
    const rows = await this.connection.read<TotalsRow>(`select count(*)::float8 as count from ${tableOf(target.name)} where ${where}`, statement, tx);
    return rows[0]?.count ?? 0;
  }

  override async page(wanted: TargetedQuery, beside?: TargetedQuery): Promise<PageAnswer> {
    const { sql, statement, besideId } = this.ready.find(wanted, beside) ?? (await this.compilePage(wanted, beside));
    const rows = await this.connection.read<PageRow>(sql, statement);
    const { list, count = 1, total = 1 } = rows.find(({ paged }) => paged) ?? NO_ROW;
    return {
      list: projectList(list, wanted.projection && parseProjection(wanted.projection)), count, total,
      beside: rows.flatMap((row) => (row.paged ? [] : [this.known.parse(besideId, row.list)])),
    };
  }

  override async textRows(wanted: TargetedQuery): Promise<TextRows> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const statement = new Statement();
    const sql = textRowsStatement(statement, await this.compile(statement, wanted), wanted, takesIdOnly(projection) ? ID_ONLY : 'doc');
    const [row] = await unlessDropped(this.connection.read<TextRowsRow>(sql, statement), []);
    const { ids, texts, total } = row ?? NO_TEXTS;
    const lines = ids.length === 0 ? [] : texts.split('\n');
    return projection === undefined ? { rows: lines.map((text, place) => ({ id: ids[place] as string, text })), total } : textRowsOf(documentsIn(lines.join(',')), total, projection);
  }

  override links(wanted: LinksOf): Promise<Link[]> {
    return this.linked.links(wanted);
  }

  override async linkedPage(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedPage> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const found = await this.linked.page(wanted, condition);
    if (found === 'too many') return findLinked(this, wanted, condition);
    return { documents: documentsIn(projectList(found.list, projection)), total: found.total };
  }

  override async aggregate(target: CollectionRef, pipeline: readonly unknown[], tx?: DocumentTx): Promise<JsonObject[]> {
    return runPipeline(pipeline, {
      isDate: () => false,
      group: (filter, plan, tail) => this.group(target, filter, { plan, tail }, tx),
      load: (filter, page) => this.find(target, { filter, ...page }, tx),
    });
  }

  override async distinct(target: CollectionRef, query: DistinctQuery, tx?: DocumentTx): Promise<DistinctValue[]> {
    const { statement, where } = await this.prepare(target, query.filter ?? {}, tx);
    const sql = distinctStatement(statement, parsePath(query.path, 'field'), { table: tableOf(target.name), where, limit: query.limit });
    return this.connection.read<DistinctValue>(sql, statement, tx);
  }

  override createCollection(name: string, options: CollectionOptions = {}): Promise<void> {
    return this.catalogue.create(name, options);
  }

  override dropCollection(name: string): Promise<void> {
    return this.catalogue.drop(name);
  }

  override createIndex(collection: string, index: IndexSpec): Promise<void> {
    return this.catalogue.createIndex(collection, index);
  }

  override dropIndex(collection: string, name: string): Promise<boolean> {
    return this.catalogue.dropIndex(collection, name);
  }

  override listIndexes(collection: string): Promise<IndexSpec[]> {
    return this.catalogue.list(collection);
  }

  override renewIndexes(): Promise<void> {
    return this.catalogue.renewIndexes();
  }

  private async group(target: CollectionRef, filter: ParsedFilter, { plan, tail }: StoreGroup, tx?: DocumentTx): Promise<JsonObject[] | undefined> {
    const { statement, where } = await this.prepare(target, filter, tx);
    const sql = compileGroup(statement, plan, { table: tableOf(target.name), where, order: ['seq'] }, tail);
    const rows = await unlessTooLarge(this.connection.read<GroupRow>(sql, statement, tx));
    return rows === undefined || rows.some((row) => row.unfit) ? undefined : toGroups(plan, rows);
  }

  private async cursorOver(target: CollectionRef, query: StreamQuery): Promise<CursorPlan> {
    const { statement, where } = await this.prepare(target, query.filter ?? {});
    const table = tableOf(target.name);
    const { from, order } = sortOf(statement, query);
    return { table, from: `${table}${from} where ${where} order by ${order}`, statement, timeoutMs: statement.usesRegex ? REGEX_TIMEOUT_MS : READ_TIMEOUT_MS };
  }

  private async compilePage(wanted: TargetedQuery, beside: TargetedQuery | undefined): Promise<CompiledPage> {
    const statement = new Statement();
    const find = await this.compile(statement, wanted);
    const isOne = isOneRow(find, wanted);
    const sql = pageStatement(statement, find, wanted);
    if (beside === undefined) {
      if (isOne) statement.byKey = PAGE_ROW;
      return { sql, statement };
    }
    const other = await this.compile(statement, beside);
    if (isOne && isOneRow(other, beside)) statement.byKey = PAGE_ROW;
    const page = { sql: `${sql} union all ${besideStatement(statement, other, beside, isOne)}`, statement, besideId: other.id };
    this.ready.keep(wanted, beside, page);
    return page;
  }

  private async compile(statement: Statement, { target, filter, sort }: TargetedQuery, tx?: DocumentTx): Promise<CompiledFind> {
    const wanted = parsed(filter ?? {});
    const { where } = await this.prepare(target, wanted, tx, statement);
    const id = idNamedIn(wanted.condition);
    const isOne = id !== undefined;
    if (isOne) parseSort(sort ?? {}); // a bad one is refused, though there is nothing to sort
    const sorted = sortOf(statement, isOne || sort === undefined ? {} : { sort });
    return { table: tableOf(target.name), where, ...sorted, isWhole: sorted.order === CREATION && isEverything(wanted.condition), id };
  }

  private async prepare(target: CollectionRef, filter: Filter, tx?: DocumentTx, statement = new Statement()): Promise<{ statement: Statement; where: string }> {
    const part = statement.bind(target.partition);
    return { statement, where: `part = ${part} and ${await this.where(statement, target.name, parsed(filter), tx)}` };
  }

  /** In whatever partition. */
  private async where(statement: Statement, collection: string, { condition }: ParsedFilter, tx?: DocumentTx): Promise<string> {
    const asNow = searchesText(condition);
    // One document is found by its id: to weigh other ways to it costs more than to look whether it meets the rest.
    const indexes = idNamedIn(condition) !== undefined && !asNow ? NO_INDEXES : await this.catalogue.indexesOf(collection, { tx, asNow });
    const { text } = indexes;
    return compileFilter(statement, condition, {
      document: 'doc',
      isRow: true,
      indexes: indexes.filters,
      ...(text && { textMatch: (search: string) => textMatch(statement, text, { document: 'doc', bytes: 'bytes' }, search) }),
    });
  }
}

/** Of two documents none has the same id, so that no key behind it counts; it has a column, and alone it is the order of the primary key. */
function sortOf(statement: Statement, { sort }: StreamQuery): { readonly from: string; readonly order: string } {
  const keys = parseSort(sort ?? {});
  if (keys.length === 0) return { from: '', order: CREATION };
  const idAt = keys.findIndex(({ path }) => path.length === 1 && path[0] === '_id');
  const { from, order } = compileSort(statement, idAt === -1 ? keys : keys.slice(0, idAt), 'doc');
  return { from, order: [...order, keys[idAt]?.direction === -1 ? 'id desc' : 'id'].join(', ') };
}

/** From here on rows are copied in: it costs a way to the server more, and a sixth of the server's work less (docs/performance/items.md). */
const MANY = 50;

const DOCUMENT_ROW: RowOfTexts = ([doc = 'null']) => ({ doc: JSON.parse(doc) as StoredDocument });
const NO_INDEXES: CollectionIndexes = { filters: [], isUnique: false };
const NO_TEXTS: TextRowsRow = { ids: [], texts: '', total: 0 };
const NO_ROW = { list: '', count: 0, total: 0 };

/** The column that holds the order of creation. */
const CREATION = 'seq';

const parsed = (filter: Filter): ParsedFilter => (filter instanceof ParsedFilter ? filter : parseFilter(filter));

/** Who asks what is there needs no documents on the wire. */
const ID_ONLY = `jsonb_build_object('_id', id)`;

interface TotalsRow {
  readonly count: number;
  readonly bytes: number;
}

const TOTALS = 'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes';
const toWriteResult = (rows: readonly TotalsRow[]): WriteResult => rows[0] ?? { count: 0, bytes: 0 };
