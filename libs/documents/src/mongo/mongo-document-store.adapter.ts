import { ANSWER_BYTES, limitExceeded } from '@twinyard/conventions';
import type { MongoConnection, MongoUnitOfWork } from '@twinyard/service-kit';
import { runPipeline } from '../aggregation/run-pipeline';
import type { StoreGroup } from '../aggregation/group-tail';
import { SortSpace } from '../aggregation/sorts/sort-space';
import { Deadline } from '../deadline';
import type { CollectionRef, JsonObject, StoredDocument } from '../document';
import { DocumentStore, type CollectionOptions, type DistinctQuery, type DistinctValue, type DocumentTx, type Filter, type FindQuery, type IndexSpec, type InsertResult, type PageAnswer, type PipelineCaller, type Portion, type ReplaceResult, type TargetedQuery, type TextRows, type WriteResult } from '../document-store';
import { ParsedFilter, type Path } from '../filter/ast';
import { parseFilter } from '../filter/parser';
import { isIndex, parsePath } from '../filter/path';
import { provePatterns } from '../filter/pattern-proof';
import { distinctValues } from '../distinct-values';
import { PORTION_BYTES, refuseHeavy } from '../heavy-answers';
import { missingTextIndex } from '../indexes/missing-text-index';
import { findLinked, findLinks } from '../linked-documents';
import type { Link, LinkCondition, LinkedPage, LinksOf } from '../links';
import { measureDocuments } from '../measured-documents';
import { type ParsedProjection, parseProjection, project } from '../projection';
import { toMongoRegex } from '../regex/translation';
import { type Snapshot, type StreamQuery, streamOf } from '../snapshot';
import { parseSort } from '../sort';
import { pageOf, textRowsOf, totalFrom } from '../text-page';
import { idBatchesOf } from './batches';
import { CollectionCatalogue, documentsOf } from './collection-catalogue.adapter';
import { CreationOrder } from './creation-order';
import { compileDistinct } from './distinct-compiler';
import { decodeDocument, decodeValue, encodeDocument } from './document-codec';
import { compileFilter, type CompiledFilter } from './filter-compiler';
import { compileGroup, toGroups, type GroupRow } from './group-compiler';
import { MongoReadingStore } from './mongo-reading-store.adapter';
import { asMongoTx, MongoReads } from './mongo-reads.adapter';
import { type CursorPlan, MongoSnapshot } from './mongo-snapshot.adapter';
import { anyOf, deleteRows, insertRows, replaceRows, WEIGHT, writeRows, type Weighed } from './mongo-writes.adapter';
import { coarseProjection, documentField, documentFields, inPartition, sortOf, type DocumentRow } from './stored-fields';

/** Documents whose values are told apart here, where the server cannot. */
const MOST_LOADED = 100_000;

/** What the service shares with its outbox and inbox, so that they are in the same transactions. */
export interface MongoDocumentStoreOptions {
  readonly connection: MongoConnection;
  readonly unitOfWork: MongoUnitOfWork;
  /** What an answer weighs at most. */
  readonly answerBytes?: number;
  /** The disk that pipelines sort on. */
  readonly sortSpace?: SortSpace;
}

/** Documents in MongoDB 7 or newer: a collection of the server for each collection here, partitions in it by `_id.part`. */
export class MongoDocumentStore extends DocumentStore {
  override readonly readings: MongoReadingStore;
  override readonly answerBytes: number;
  private readonly catalogue: CollectionCatalogue;
  private readonly reads: MongoReads;
  private readonly order = new CreationOrder();
  private readonly sortSpace: SortSpace;

  private constructor(private readonly options: MongoDocumentStoreOptions) {
    super();
    this.catalogue = new CollectionCatalogue(options.connection);
    this.answerBytes = options.answerBytes ?? ANSWER_BYTES;
    this.reads = new MongoReads(options.connection, this.answerBytes);
    this.sortSpace = options.sortSpace ?? new SortSpace();
    this.readings = new MongoReadingStore(options.connection, this.reads, this.sortSpace);
  }

  /** Makes the adapter's own collections where they are missing. The connection stays its owner's. */
  static async open(options: MongoDocumentStoreOptions): Promise<MongoDocumentStore> {
    const store = new MongoDocumentStore(options);
    await store.catalogue.install();
    await store.reads.install();
    await store.readings.install();
    return store;
  }

  override transaction<T>(work: (tx: DocumentTx) => Promise<T>): Promise<T> {
    return this.options.unitOfWork.run(work);
  }

  override async insertMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<InsertResult> {
    const { list, sizes, bytes } = await measureDocuments(target, documents);
    const first = this.order.take(documents.length);
    const rows = documents.map((document, index) => (
      { _id: idOf(target, document._id), seq: first + index, bytes: sizes[index], doc: encodeDocument(document, '_id') }
    ));
    await insertRows(tx, documentsOf(target.name), rows);
    return { count: documents.length, bytes, list: Buffer.from(list), sizes };
  }

  override async insertLater(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<void> {
    await this.insertMany(tx, target, documents);
  }

  override async replaceLater(tx: DocumentTx, target: CollectionRef, document: StoredDocument): Promise<void> {
    await this.replaceMany(tx, target, [document]);
  }

  override async replaceMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<ReplaceResult> {
    const { sizes } = await measureDocuments(target, documents);
    // Of two with one id the last counts, as if they had come one after the other.
    const wanted = new Map(documents.map((document, index) => [document._id, { document, bytes: sizes[index] as number }]));
    const before: Weighed[] = [];
    for (const ids of idBatchesOf([...wanted.keys()], asMongoTx(tx).options)) before.push(...(await this.weigh(tx, target, anyOfIds(target, ids))));
    const there = new Map(before.map((row) => [(row._id as DocumentRow['_id']).id, row.seq]));
    const changes = [...wanted].filter(([id]) => there.has(id));
    const rows = changes.map(([id, { document, bytes }]) => ({ _id: idOf(target, id), bytes, doc: encodeDocument(document, '_id') }));
    const mayExchange = rows.length > 1 && (await this.catalogue.hasUniqueIndex(target.name));
    if (mayExchange) await replaceRows(tx, documentsOf(target.name), before, rows.map((row) => ({ ...row, seq: there.get(row._id.id) })));
    else await writeRows(tx, documentsOf(target.name), rows.map((row) => ({ kind: 'set', row })));
    return {
      count: changes.length,
      bytes: changes.reduce((sum, [, { bytes }]) => sum + bytes, 0),
      replacedBytes: before.reduce((sum, row) => sum + row.bytes, 0),
      missing: [...wanted.keys()].filter((id) => !there.has(id)),
    };
  }

  override async deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult> {
    const rows = await this.weigh(tx, target, await this.compile(target, filter));
    return deleteRows(tx, documentsOf(target.name), rows);
  }

  override async snapshot(): Promise<Snapshot> {
    return new MongoSnapshot(this.options.connection, {
      documents: (target, query) => this.cursorOver(target, query),
      readings: (target, query) => this.readings.cursorOver(target, query),
    });
  }

  override async find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<StoredDocument[]> {
    const { documents, isCut } = await this.within({ target, ...query }, this.answerBytes, tx);
    if (isCut && query.mayBeCut !== true) throw refuseHeavy(this.answerBytes);
    return documents;
  }

  override portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion> {
    return this.within({ target, ...query }, PORTION_BYTES, tx);
  }

  override async count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number> {
    const count = [{ $group: { _id: null, count: { $sum: 1 } } }];
    const [row] = await this.reads.aggregate<{ count: number }>(documentsOf(target.name), await this.compile(target, filter), count, { tx });
    return row?.count ?? 0;
  }

  override async page({ target, ...query }: TargetedQuery, beside?: TargetedQuery): Promise<PageAnswer> {
    const others = beside && this.find(beside.target, beside);
    const [{ documents, isCut }, found = []] = await Promise.all([this.within({ target, ...query }, this.answerBytes), others]);
    return { ...pageOf(documents, await this.total(target, query, { count: documents.length, isCut })), ...(isCut && { isCut }), beside: found };
  }

  override async textRows({ target, ...query }: TargetedQuery): Promise<TextRows> {
    const projection = query.projection && parseProjection(query.projection);
    const { documents, isCut } = await this.whole({ target, ...query }, projection, this.answerBytes);
    return { ...textRowsOf(documents, await this.total(target, query, { count: documents.length, isCut }), projection), ...(isCut && { isCut }) };
  }

  /** A page that was cut says nothing of what lies behind it. */
  private async total(target: CollectionRef, query: FindQuery, { count, isCut }: { readonly count: number; readonly isCut: boolean }): Promise<number> {
    return (isCut ? undefined : totalFrom(count, query)) ?? this.count(target, query.filter ?? {});
  }

  override links(wanted: LinksOf): Promise<Link[]> {
    return findLinks(this, wanted);
  }

  override linkedPage(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedPage> {
    return findLinked(this, wanted, condition);
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
    const path = parsePath(query.path, 'field');
    if (path.some(isIndex)) return distinctValues(await this.loadAll(target, query.filter ?? {}, path, tx), path).slice(0, query.limit);
    const stages = compileDistinct(path, query.limit);
    const rows = await this.reads.aggregate<{ _id: unknown; count: number }>(documentsOf(target.name), await this.compile(target, query.filter ?? {}), stages, { tx });
    return rows.map(({ _id, count }) => ({ value: decodeValue(_id), count }));
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

  /** They were never made in another way. */
  override renewIndexes(): Promise<void> {
    return Promise.resolve();
  }

  private async within(wanted: TargetedQuery, mostBytes: number, tx?: DocumentTx): Promise<WeighedDocuments> {
    const projection = wanted.projection && parseProjection(wanted.projection);
    const { documents, isCut } = await this.whole(wanted, projection, mostBytes, tx);
    return { documents: projection ? documents.map((document) => project(document, projection)) : documents, isCut };
  }

  /** With what a projection needs at least, and the `_id` always. */
  private async whole({ target, ...query }: TargetedQuery, projection: ParsedProjection | undefined, mostBytes: number, tx?: DocumentTx): Promise<WeighedDocuments> {
    const options = { sort: orderOf(query), skip: query.skip ?? 0, limit: query.limit, projection: coarseProjection(projection), mostBytes };
    const { rows, isCut } = await this.reads.findWithin<DocumentRow>(documentsOf(target.name), await this.compile(target, query.filter ?? {}), options, tx);
    return { documents: rows.map(toDocument), isCut };
  }

  private async group(target: CollectionRef, filter: ParsedFilter, { plan, tail, deadline }: StoreGroup): Promise<JsonObject[] | undefined> {
    const stages = compileGroup(plan, { fieldOf: documentField, order: ['seq', '_id.id'] }, tail);
    if (stages === undefined) return undefined;
    const rows = await this.reads.aggregate<GroupRow>(documentsOf(target.name), await this.compile(target, filter), stages, { deadline });
    return rows.some((row) => row.unfit) ? undefined : toGroups(plan, rows);
  }

  /** What a path needs of all documents that match; bounded like a pipeline. */
  private async loadAll(target: CollectionRef, filter: Filter, [name = '']: Path, tx?: DocumentTx): Promise<readonly StoredDocument[]> {
    const documents = await this.find(target, { filter, projection: { [name]: 1 }, limit: MOST_LOADED + 1 }, tx);
    if (documents.length > MOST_LOADED) throw limitExceeded(`More than ${MOST_LOADED} documents match; narrow the query`, 'query');
    return documents;
  }

  private async cursorOver(target: CollectionRef, query: StreamQuery): Promise<CursorPlan<StoredDocument>> {
    const compiled = await this.compile(target, query.filter ?? {});
    return { collection: documentsOf(target.name), compiled, sort: orderOf(query), toDocument: (row) => toDocument(row as unknown as DocumentRow) };
  }

  private weigh(tx: DocumentTx, target: CollectionRef, compiled: CompiledFilter): Promise<Weighed[]> {
    return this.reads.find<Weighed>(documentsOf(target.name), compiled, { projection: WEIGHT }, tx);
  }

  private async compile(target: CollectionRef, filter: Filter): Promise<CompiledFilter> {
    const { condition } = filter instanceof ParsedFilter ? filter : parseFilter(filter);
    await provePatterns(condition, toMongoRegex);
    const compiled = compileFilter(condition, { fields: documentFields(target.partition), guardsRegex: this.reads.guardsRegex });
    // Asked of the catalogue, since MongoDB's refusal would end the caller's transaction.
    if (compiled.usesText && !(await this.catalogue.hasTextIndex(target.name))) throw missingTextIndex();
    return { ...compiled, filter: inPartition(target.partition, compiled.filter) };
  }
}

/** As far as they weigh what they may. */
interface WeighedDocuments {
  readonly documents: StoredDocument[];
  readonly isCut: boolean;
}

const toDocument = (row: DocumentRow): StoredDocument => ({ ...decodeDocument(row.doc ?? {}), _id: row._id.id });

function orderOf({ sort }: StreamQuery): Record<string, 1 | -1> {
  const keys = parseSort(sort ?? {});
  return keys.length === 0 ? { seq: 1, '_id.id': 1 } : sortOf(keys, documentField, ['_id.id']);
}

const idOf = ({ partition }: CollectionRef, id: string): DocumentRow['_id'] => ({ part: partition, id });

const anyOfIds = (target: CollectionRef, ids: readonly string[]): CompiledFilter => (
  { filter: anyOf(ids.map((id) => idOf(target, id))), usesRegex: false, usesText: false }
);
