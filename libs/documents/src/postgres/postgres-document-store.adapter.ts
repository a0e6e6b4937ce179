import { ANSWER_BYTES } from '@twinyard/conventions';
import type { StoreGroup } from '../aggregation/group-tail';
import { runPipeline } from '../aggregation/run-pipeline';
import { SortSpace } from '../aggregation/sorts/sort-space';
import { Deadline } from '../deadline';
import { type CollectionRef, type JsonObject, type StoredDocument } from '../document';
import { DocumentStore, type CollectionOptions, type DistinctQuery, type DistinctValue, type DocumentTx, type Filter, type FindQuery, type IndexSpec, type InsertResult, type PageAnswer, type PipelineCaller, type Portion, type ReplaceResult, type TargetedQuery, type TextRows, type WriteResult } from '../document-store';
import { idNamedIn, isEverything, ParsedFilter, searchesText } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { parsePath } from '../filter/path';
import { provePatterns } from '../filter/pattern-proof';
import { findLinked } from '../linked-documents';
import type { Link, LinkCondition, LinkedPage, LinksOf } from '../links';
import { measureDocuments } from '../measured-documents';
import { parseProjection } from '../projection';
import { toPostgresRegex } from '../regex/translation';
import { type Snapshot, type StreamQuery, streamOf } from '../snapshot';
import { parseSort } from '../sort';
import { documentsIn } from '../text-page';
import { PORTION_BYTES, refuseHeavy } from '../heavy-answers';
import { CollectionCatalogue, type CollectionIndexes, tableOf } from './collection-catalogue.adapter';
import { PgConnection, type ConnectionOptions } from './connection.adapter';
import { type CursorPlan, cursorPlan, type SnapshotTx } from './cursor-connection.adapter';
import { DocumentReads } from './document-reads.adapter';
import { compileFilter } from './filter-compiler';
import { readGroups } from './group-read';
import { HeavyPages } from './heavy-pages.adapter';
import { LinkedReads } from './linked-reads.adapter';
import type { CompiledFind } from './page-statement';
import { translateWaitError } from './read-errors';
import { PostgresReadingStore } from './postgres-reading-store.adapter';
import { PostgresSnapshot } from './postgres-snapshot.adapter';
import { insertRows, insertRowsLater, replaceAnew, replaceInPlace, replaceRowLater } from './written-rows.adapter';
import { compileSort } from './sort-compiler';
import { distinctStatement } from './distinct-statement';
import { Statement } from './statement';
import { textMatch } from './text-search';

/** Documents in PostgreSQL 18 or newer: a table a collection, one row a document (JSONB). */
export class PostgresDocumentStore extends DocumentStore {
  override readonly readings: PostgresReadingStore;
  override readonly answerBytes: number;
  private readonly catalogue: CollectionCatalogue;
  private readonly linked: LinkedReads;
  private readonly heavy: HeavyPages;
  private readonly reads: DocumentReads;

  private constructor(private readonly connection: PgConnection, answerBytes = ANSWER_BYTES, private readonly sortSpace = new SortSpace()) {
    super();
    this.catalogue = new CollectionCatalogue(connection);
    this.readings = new PostgresReadingStore(connection, answerBytes, sortSpace);
    this.answerBytes = answerBytes;
    this.heavy = new HeavyPages(connection, answerBytes, async (statement, { target, filter }) => (await this.prepare(target, filter ?? {}, undefined, statement)).where);
    this.reads = new DocumentReads(connection, this.heavy, (statement, wanted, tx) => this.compile(statement, wanted, tx));
    this.linked = new LinkedReads(connection, {
      find: (statement, wanted) => this.compile(statement, wanted),
      where: (statement, collection, filter) => this.where(statement, collection, parsed(filter)),
      existing: (names) => this.catalogue.existing(names),
    }, this.heavy);
  }

  /** Connects and makes the adapter's own tables where they are missing. */
  static async open(options: ConnectionOptions): Promise<PostgresDocumentStore> {
    const store = new PostgresDocumentStore(new PgConnection(options), options.answerBytes, options.sortSpace);
    await store.catalogue.install();
    return store;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  override async transaction<T>(work: (tx: DocumentTx) => Promise<T>): Promise<T> {
    try {
      return await this.connection.transaction(work);
    } catch (error) {
      throw translateWaitError(error);
    }
  }

  override insertMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<InsertResult> {
    return insertRows(this.connection, tx, target, documents);
  }

  override insertLater(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<void> {
    return insertRowsLater(this.connection, tx, target, documents);
  }

  override replaceLater(tx: DocumentTx, target: CollectionRef, document: StoredDocument): Promise<void> {
    return replaceRowLater(this.connection, tx, target, document);
  }

  override async replaceMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<ReplaceResult> {
    const { list, sizes } = await measureDocuments(target, documents);
    const mayExchange = documents.length > 1 && (await this.catalogue.indexesOf(target.name, { tx, asNow: false })).isUnique;
    const replace = mayExchange ? replaceAnew : replaceInPlace;
    const rows = await replace(this.connection, tx, { table: tableOf(target.name), part: target.partition, ids: documents.map(({ _id }) => _id), list: `[${list}]`, sizes });
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
      documents: (target, query, tx) => this.cursorOver(target, query, tx),
      readings: (target, query) => this.readings.cursorOver(target, query),
    });
  }

  override find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<StoredDocument[]> {
    return this.reads.find({ target, ...query }, tx);
  }

  override portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion> {
    return this.reads.within({ target, ...query }, PORTION_BYTES, tx);
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    const { statement, where } = await this.prepare(target, filter, tx);
    const rows = await this.connection.read<TotalsRow>(`select count(*)::float8 as count from ${tableOf(target.name)} where ${where}`, statement, tx);
    return rows[0]?.count ?? 0;
  }

  override page(wanted: TargetedQuery, beside?: TargetedQuery): Promise<PageAnswer> {
    return this.reads.page(wanted, beside);
  }

  override textRows(wanted: TargetedQuery): Promise<TextRows> {
    return this.reads.textRows(wanted);
  }

  override links(wanted: LinksOf): Promise<Link[]> {
    return this.linked.links(wanted);
  }

  override async linkedPage(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedPage> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const found = await this.linked.page(wanted, condition);
    if (found === 'too many') return findLinked(this, wanted, condition);
    const { list, isCut, passed } = await this.heavy.list(wanted, found.lists, projection);
    return { documents: documentsIn(list), total: found.total, ...(isCut && { isCut, passed }) };
  }

  override aggregate(target: CollectionRef, pipeline: readonly unknown[], { tenant, gone }: PipelineCaller = {}): Promise<JsonObject[]> {
    return runPipeline(pipeline, {
      isDate: () => false,
      group: (filter, wanted) => this.group(target, filter, wanted),
      stream: (query) => streamOf(() => this.snapshot(), (snapshot) => snapshot.documents(target, query)),
      answerBytes: this.answerBytes,
      sortShare: this.sortSpace.share(tenant),
    }, Deadline.ofPipeline(gone));
  }

  override async distinct(target: CollectionRef, query: DistinctQuery, tx?: DocumentTx): Promise<DistinctValue[]> {
    const { statement, where } = await this.prepare(target, query.filter ?? {}, tx);
    const sql = distinctStatement(statement, parsePath(query.path, 'field'), { table: tableOf(target.name), where, limit: query.limit, maxBytes: this.answerBytes });
    const values = await this.connection.read<DistinctValue & { readonly count: number | null }>(sql, statement, tx);
    if (values.some(({ count }) => count === null)) throw refuseHeavy(this.answerBytes);
    return values;
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

  private async group(target: CollectionRef, filter: ParsedFilter, wanted: StoreGroup): Promise<JsonObject[] | undefined> {
    const { statement, where } = await this.prepare(target, filter);
    return readGroups(this.connection, statement, { table: tableOf(target.name), where, order: ['seq'] }, { ...wanted, mostBytes: this.answerBytes });
  }

  private async cursorOver(target: CollectionRef, query: StreamQuery, tx: SnapshotTx): Promise<CursorPlan> {
    const { statement, where } = await this.prepare(target, query.filter ?? {}, tx);
    return cursorPlan(statement, { table: tableOf(target.name), where, ...sortOf(statement, query) }, query);
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
    await provePatterns(condition, toPostgresRegex);
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

const NO_INDEXES: CollectionIndexes = { filters: [], isUnique: false };

/** The column that holds the order of creation. */
const CREATION = 'seq';

const parsed = (filter: Filter): ParsedFilter => (filter instanceof ParsedFilter ? filter : parseFilter(filter));

interface TotalsRow {
  readonly count: number;
  readonly bytes: number;
}

const TOTALS = 'select count(*)::float8 as count, coalesce(sum(bytes), 0)::float8 as bytes';
const toWriteResult = (rows: readonly TotalsRow[]): WriteResult => rows[0] ?? { count: 0, bytes: 0 };
