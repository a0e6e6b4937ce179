import { Injectable } from '@nestjs/common';
import { type CollectionRef, type DocumentTx, DocumentStore, type Portion, type StoredDocument } from '@twinyard/documents';
import { relatedItemsOf, UPDATE_LOGS } from '../storage/collections';
import { own } from '../storage/filters';
import type { StoredUpdate } from '../updatelogs/update-log';
import type { EncryptedPlace } from './item-encryption';

/** What a version of a collection keeps, as it is kept: ciphertexts and all, in the order of the ids, in nobody's name. */
@Injectable()
export class EncryptedContentsRepository {
  constructor(private readonly store: DocumentStore) {}

  transaction<T>(work: (tx: DocumentTx) => Promise<T>): Promise<T> {
    return this.store.transaction(work);
  }

  items(tx: DocumentTx, { itemId, versionId }: EncryptedPlace, after: string, limit: number): Promise<Portion> {
    return this.store.portion(relatedItemsOf(itemId, versionId), { filter: own({ _id: { $gt: after } }), sort: { _id: 1 }, limit }, tx);
  }

  async updates(tx: DocumentTx, { versionId }: EncryptedPlace, after: string, limit: number): Promise<Portion<StoredUpdate>> {
    return (await this.store.portion(UPDATE_LOGS, { filter: own({ version: versionId, _id: { $gt: after } }), sort: { _id: 1 }, limit }, tx)) as Portion<StoredUpdate>;
  }

  replaceItems(tx: DocumentTx, { itemId, versionId }: EncryptedPlace, items: readonly StoredDocument[]): Promise<void> {
    return this.replace(tx, relatedItemsOf(itemId, versionId), items);
  }

  replaceUpdates(tx: DocumentTx, updates: readonly StoredUpdate[]): Promise<void> {
    return this.replace(tx, UPDATE_LOGS, updates);
  }

  private async replace(tx: DocumentTx, target: CollectionRef, documents: readonly StoredDocument[]): Promise<void> {
    if (documents.length > 0) await this.store.replaceMany(tx, target, documents);
  }
}
