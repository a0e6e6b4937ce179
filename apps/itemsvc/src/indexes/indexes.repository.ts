import { Injectable } from '@nestjs/common';
import { DocumentStore, type IndexSpec } from '@twinyard/documents';
import { collectionName } from '../storage/collections';

/** The service's own index on the sensors of telemetry items; nobody's to see or to drop. */
export const OWN_INDEX = 'sourceId';

/** Indexes of a collection, which apply to all of its versions; making them is no part of a transaction. */
@Injectable()
export class IndexesRepository {
  constructor(private readonly store: DocumentStore) {}

  /** What an answer weighs at most. */
  get answerBytes(): number {
    return this.store.answerBytes;
  }

  async list(itemId: string): Promise<IndexSpec[]> {
    return (await this.store.listIndexes(collectionName(itemId))).filter(({ options }) => options.name !== OWN_INDEX);
  }

  add(itemId: string, spec: IndexSpec): Promise<void> {
    return this.store.createIndex(collectionName(itemId), spec);
  }

  remove(itemId: string, name: string): Promise<boolean> {
    return this.store.dropIndex(collectionName(itemId), name);
  }
}
