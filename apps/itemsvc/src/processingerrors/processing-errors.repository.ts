import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import type { Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject, type StoredDocument } from '@twinyard/documents';
import type { NamedItem } from '../nameditems/named-item';
import { PROCESSING_ERRORS } from '../storage/collections';
import { narrowed, own, type ScopeFields, scopeFilter } from '../storage/filters';
import { type ListQuery, slice } from '../storage/list-query';
import { portionsOf } from '../storage/own-reads';
import type { ProcessingError } from './processing-error';

/** Errors that one statement rewrites. */
const BATCH = 500;
const EMPTY: Slice<StoredDocument> = { rows: [], total: 0 };
/** Who may READ the collection may see what it could not take. */
const OF_COLLECTION: ScopeFields = { id: '_userItemDbId', namespaces: '_namespaces', itemClass: '_itemClass', userType: '_userType' };

@Injectable()
export class ProcessingErrorsRepository {
  constructor(private readonly store: DocumentStore) {}

  async list(scope: NamespaceScope, query: ListQuery): Promise<Slice<StoredDocument>> {
    const reach = scopeFilter([scope], OF_COLLECTION);
    // The filter is parsed even where nothing is in reach: a bad one is 400 for everybody.
    const asked = narrowed(query.filter, ...(reach ? [reach] : []));
    return reach === undefined ? EMPTY : slice(this.store, PROCESSING_ERRORS, asked, { ...query, sort: query.sort ?? { _at: -1 } });
  }

  async put(tx: DocumentTx, errors: readonly ProcessingError[]): Promise<void> {
    const { missing } = await this.store.replaceMany(tx, PROCESSING_ERRORS, errors);
    const fresh = errors.filter(({ _id }) => missing.includes(_id));
    if (fresh.length > 0) await this.store.insertMany(tx, PROCESSING_ERRORS, fresh);
  }

  /** A collection was changed: who may READ it now may see its errors. */
  async follow(tx: DocumentTx, before: NamedItem, { _id, _userType, _namespaces }: NamedItem): Promise<void> {
    if (before._userType === _userType && isDeepStrictEqual(before._namespaces, _namespaces)) return;
    // By namespaces there is an index.
    const mine = own({ _namespaces: { $in: before._namespaces }, _userItemDbId: _id });
    for await (const errors of portionsOf(this.store, PROCESSING_ERRORS, mine, BATCH, tx)) {
      await this.store.replaceMany(tx, PROCESSING_ERRORS, errors.map((error) => ({ ...error, _userType, _namespaces })));
    }
  }

  /** At most `limit` of those that were last seen before. */
  removeOlderThan(before: number, limit: number): Promise<number> {
    return this.removeSome({ _at: { $lt: before } }, limit);
  }

  /** At most `limit` of the oldest that are beyond what a namespace may keep. */
  async removeBeyond(namespace: string, most: number, limit: number): Promise<number> {
    const excess = (await this.store.count(PROCESSING_ERRORS, own({ _namespaces: namespace }))) - most;
    return excess > 0 ? this.removeSome({ _namespaces: namespace }, Math.min(excess, limit)) : 0;
  }

  /** Namespaces that have some: for the service's own work, in nobody's name. */
  async namespaces(limit: number): Promise<string[]> {
    return (await this.store.distinct(PROCESSING_ERRORS, { path: '_namespaces', limit })).map(({ value }) => String(value));
  }

  /** Takes a namespace out of at most `limit` of them, of some megabytes at a time; with the last they go. */
  leave(namespace: string, limit: number): Promise<number> {
    return this.store.transaction(async (tx) => {
      const { documents } = await this.store.portion(PROCESSING_ERRORS, { filter: own({ _namespaces: namespace }), limit }, tx);
      const left = (documents as readonly ProcessingError[]).map((error) => ({ ...error, _namespaces: error._namespaces.filter((name) => name !== namespace) }));
      const shared = left.filter(({ _namespaces }) => _namespaces.length > 0);
      if (shared.length > 0) await this.store.replaceMany(tx, PROCESSING_ERRORS, shared);
      const alone = left.filter(({ _namespaces }) => _namespaces.length === 0).map(({ _id }) => _id);
      if (alone.length > 0) await this.store.deleteMany(tx, PROCESSING_ERRORS, own({ _id: { $in: alone } }));
      return documents.length;
    });
  }

  private async removeSome(filter: JsonObject, limit: number): Promise<number> {
    const rows = await this.store.find(PROCESSING_ERRORS, { filter: own(filter), sort: { _at: 1 }, projection: { _id: 1 }, limit });
    const ids = rows.map(({ _id }) => _id);
    if (ids.length > 0) await this.store.transaction((tx) => this.store.deleteMany(tx, PROCESSING_ERRORS, own({ _id: { $in: ids } })));
    return ids.length;
  }
}
