import type { CollectionRef, JsonObject } from './document';
import type { DocumentTx, Filter, FindQuery, PipelineCaller, Portion, WriteResult } from './document-store';

/** A reading as the wire has it. `_ts` is any ISO 8601 text with a zone; it comes back in UTC with milliseconds. */
export interface Reading {
  readonly _ts: string;
  readonly _tsMetadata: { readonly _telItemId: string; readonly _sourceId: string };
  readonly [field: string]: unknown;
}

export interface UpsertResult {
  /** Readings that were not there before, and how many were replaced. */
  readonly inserted: number;
  readonly replaced: number;
  /** Change of the size of the series, positive or negative. */
  readonly bytesDelta: number;
}

/**
 * The time series of a collection version. One reading an item and instant: the same again replaces. In filters and
 * pipelines `_ts` is a date: ISO text beside it is compared as one (contract 2.7), and dates come back as ISO text in UTC.
 */
export abstract class ReadingStore {
  abstract upsertMany(tx: DocumentTx, target: CollectionRef, readings: readonly Reading[]): Promise<UpsertResult>;
  /** As `upsertMany` for each group in turn, in as few statements as that takes. */
  abstract upsertGroups(tx: DocumentTx, target: CollectionRef, groups: readonly (readonly Reading[])[]): Promise<UpsertResult[]>;
  /** Default order: `_ts`, then item. */
  abstract find(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Reading[]>;
  /** As that of documents. */
  abstract portion(target: CollectionRef, query: FindQuery, tx?: DocumentTx): Promise<Portion<Reading>>;
  abstract count(target: CollectionRef, filter: Filter, tx?: DocumentTx): Promise<number>;
  /** As that of documents. */
  abstract aggregate(target: CollectionRef, pipeline: readonly unknown[], caller?: PipelineCaller): Promise<JsonObject[]>;
  abstract stats(target: CollectionRef, tx?: DocumentTx): Promise<WriteResult>;
  /** Removes at most `limit` readings whose `_ts` is before the instant; repeat while `count` equals `limit`. */
  abstract deleteOlderThan(tx: DocumentTx, target: CollectionRef, before: Date, limit: number): Promise<WriteResult>;
  abstract deleteMany(tx: DocumentTx, target: CollectionRef, filter: Filter): Promise<WriteResult>;
}
