import type { Tx } from '@twinyard/service-kit';
import type { CollectionRef, JsonObject, StoredDocument } from './document';
import type { ParsedFilter } from './filter/ast';
import type { Link, LinkCondition, LinkedPage, LinksOf } from './links';
import type { ReadingStore } from './reading-store';
import type { Snapshot } from './snapshot';

/**
 * What a write needs. Only a unit of work makes one (`DocumentStore.transaction`, or that of the service's own database when
 * it is the same one). On PostgreSQL it is a `SqlTx`, on MongoDB a `MongoTx`, so the outbox row of an event goes into the same
 * transaction.
 */
export type DocumentTx = Tx;

/** A filter as the caller sent it (contract 2.3; it is parsed, and limits hold), or one that `parseFilter` or `allOf` made. */
export type Filter = JsonObject | ParsedFilter;

export interface FindQuery {
  /** Missing: all documents of the partition. */
  readonly filter?: Filter;
  /** Path to 1 or -1, in order. Missing: the order of creation. Every order ends with `_id`, so pages never overlap. */
  readonly sort?: Readonly<Record<string, unknown>>;
  /** Inclusion or exclusion, dotted paths (contract 2.3). */
  readonly projection?: JsonObject;
  readonly skip?: number;
  /** Every list has a bound. */
  readonly limit: number;
  /** Whether fewer may come where all weigh more than an answer may; else that is refused. The first comes always. */
  readonly mayBeCut?: boolean;
}

/** A query with what it is about. */
export interface TargetedQuery extends FindQuery {
  readonly target: CollectionRef;
  /** Who waits where answers weigh much: each tenant in a line of its own. Missing: all that ask this collection in one. */
  readonly tenant?: string;
}

/** What a service reads for its own work comes some megabytes at a time. */
export interface Portion<D = StoredDocument> {
  readonly documents: readonly D[];
  /** Fewer than were asked for, since more would weigh more than a portion may: the next lies behind the last of these. */
  readonly isCut: boolean;
}

/** Documents as JSON, commas between them: a text, or where they weigh much, pieces of its UTF-8. */
export type JsonList = string | readonly Buffer[];

/** A page as JSON text: where nothing in it has to change, to parse the documents and write them anew would cost more than to find them. */
export interface TextPage {
  readonly list: JsonList;
  readonly count: number;
  /** How many match in all. */
  readonly total: number;
  /** Fewer than were asked for, since more would weigh more than an answer may. */
  readonly isCut?: boolean;
}

/** A document as JSON text, to be put into another text. */
export interface TextRow {
  readonly id: string;
  readonly text: string;
}

export interface TextRows {
  readonly rows: readonly TextRow[];
  /** How many match in all. */
  readonly total: number;
  /** As in a `TextPage`. */
  readonly isCut?: boolean;
}

export interface PageAnswer extends TextPage {
  readonly beside: StoredDocument[];
}

/** How many documents a write made or removed and what they weigh (see `byteSize`). */
export interface WriteResult {
  readonly count: number;
  readonly bytes: number;
}

export interface InsertResult extends WriteResult {
  /** What was written, in the order given, as JSON in UTF-8 with commas between: it was made for the store, and an answer need not make it again. */
  readonly list: Buffer;
  /** What each weighs, in the order given: with it the list can be taken apart. */
  readonly sizes: readonly number[];
}

export interface ReplaceResult extends WriteResult {
  /** What the documents that were replaced weighed. */
  readonly replacedBytes: number;
  /** Ids that the partition does not hold; they are passed over. */
  readonly missing: readonly string[];
}

export interface DistinctQuery {
  /** Dotted. Elements of arrays count as values of their own. */
  readonly path: string;
  readonly filter?: Filter;
  readonly limit: number;
}

export interface DistinctValue {
  readonly value: unknown;
  /** Documents that hold it. */
  readonly count: number;
}

export interface IndexSpec {
  /** Dotted path to its direction, or `text`. */
  readonly key: Readonly<Record<string, 1 | -1 | 'text'>>;
  readonly options: {
    readonly name: string;
    readonly unique?: boolean;
    readonly default_language?: string;
    /** Values on its paths are short, as ids are: 255 bytes. A store that would have to take care of others need not. */
    readonly isShort?: boolean;
  };
}

export interface CollectionOptions {
  /** Made at once with the collection. System collections declare the paths that they look up by. */
  readonly indexes?: readonly IndexSpec[];
  /** Makes every equality fast at the price of slower writes (one index over all fields). */
  readonly indexAllFields?: boolean;
}

/** For whom a pipeline is run. */
export interface PipelineCaller {
  /** Shares the disk that pipelines sort on with its own alone. */
  readonly tenant?: string;
  /** Nobody waits any more. */
  readonly gone?: AbortSignal;
}

/**
 * Where itemsvc keeps its documents. Two adapters (PostgreSQL JSONB, MongoDB), one contract suite
 * (`describeDocumentStore`). What is read at once weighs a bounded number of bytes: pages are cut, portions go on, all else that is more is `limit_exceeded`; a document of more than
 * 16 MB is `too_large`. Errors: a filter, sort, projection or stage that is not allowed is `invalid` or
 * `limit_exceeded`; a broken unique index or a second `_id` is `conflict`, after which the transaction is to be given up;
 * more than 2 s in a regular expression is `query_too_slow`. Reads take a `tx` to see its own writes.
 */
export abstract class DocumentStore {
  abstract readonly readings: ReadingStore;
  /** What is read at once weighs at most. */
  abstract readonly answerBytes: number;

  /** Commits when `work` resolves, rolls back when it rejects. May run `work` twice: make ids and times before. */
  abstract transaction<T>(work: (tx: DocumentTx) => Promise<T>): Promise<T>;

  /** All or none, in the order given. */
  abstract insertMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<InsertResult>;
  /** Replaces whole documents by `_id`; their place in the order of creation is kept. */
  abstract replaceMany(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<ReplaceResult>;
  /** As `insertMany`, for few documents under new ids of which nobody needs to hear: where the store can, together with the next statement or the commit, which then fails with it. */
  abstract insertLater(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<void>;
  /** As `replaceMany` of one document, likewise. One that is not there is passed over. */
  abstract replaceLater(tx: DocumentTx, target: CollectionRef, document: StoredDocument): Promise<void>;
  /** `{}` empties the partition. */
  abstract deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult>;

  /** For reading at length: documents and readings as they are now. */
  abstract snapshot(): Promise<Snapshot>;

  /** Errors: `limit_exceeded` for more than an answer weighs. */
  abstract find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<StoredDocument[]>;
  /** For reads that answer nobody: the first of what matches, 16 MB of them whatever an answer may weigh, one always. Nothing is refused for its weight. */
  abstract portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion>;
  abstract count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number>;
  /** `limit` 0 asks for the total alone. `beside`: documents of another collection, found on the same way to the server where the store can. */
  abstract page(wanted: TargetedQuery, beside?: TargetedQuery): Promise<PageAnswer>;
  /** A page in single texts. A projection may leave the `_id` out of these. */
  abstract textRows(wanted: TargetedQuery): Promise<TextRows>;
  /** In the order of their creation. */
  abstract links(wanted: LinksOf): Promise<Link[]>;
  /** The page of `wanted`, of which those documents stay that meet the condition, as far as an answer goes. */
  abstract linkedPage(wanted: TargetedQuery, condition: LinkCondition): Promise<LinkedPage>;
  /** Contract 2.7, in a minute at most, and not on for a caller who has `gone`. It reads what is committed: of a transaction's own writes it sees nothing. */
  abstract aggregate(target: CollectionRef, pipeline: readonly unknown[], caller?: PipelineCaller): Promise<JsonObject[]>;
  /** Ascending in BSON order. */
  abstract distinct(target: CollectionRef, query: DistinctQuery, tx?: DocumentTx): Promise<DistinctValue[]>;

  /** Idempotent. Not part of a transaction (MongoDB cannot). Names: `[A-Za-z][A-Za-z0-9_]{0,39}`. */
  abstract createCollection(name: string, options?: CollectionOptions): Promise<void>;
  /** Idempotent; all partitions, indexes and readings of the collection go with it. */
  abstract dropCollection(name: string): Promise<void>;

  /**
   * Applies to all partitions; `unique` holds within each, of values as a whole. The same name and key again: nothing; another key: `conflict`.
   * It never narrows what may be stored: values of any length, depth and type are taken.
   */
  abstract createIndex(collection: string, index: IndexSpec): Promise<void>;
  /** `false` when there is none of that name. */
  abstract dropIndex(collection: string, name: string): Promise<boolean>;
  /** In the order of creation. */
  abstract listIndexes(collection: string): Promise<IndexSpec[]>;
  /** Makes those anew that an earlier version of the adapter has made in another way. Writers of a collection wait for its indexes. */
  abstract renewIndexes(): Promise<void>;
}
