import { Injectable } from '@nestjs/common';
import type { Slice } from '@twinyard/conventions';
import { type DocumentTx, DocumentStore, type JsonObject, parseFilter, type Reading, type UpsertResult, type WriteResult } from '@twinyard/documents';
import type { Spot } from '../relateditems/related-items.repository';
import { relatedItemsOf } from '../storage/collections';
import { own } from '../storage/filters';
import type { ListQuery } from '../storage/list-query';

const target = ({ itemId, versionId }: Spot) => relatedItemsOf(itemId, versionId);

/** The time series of collection versions, which `ItemAccess` found in the caller's scope. */
@Injectable()
export class ReadingsRepository {
  constructor(private readonly store: DocumentStore) {}

  put(tx: DocumentTx, spot: Spot, readings: readonly Reading[]): Promise<UpsertResult> {
    return this.store.readings.upsertMany(tx, target(spot), readings);
  }

  async list(spot: Spot, { filter, sort, projection, paging }: ListQuery): Promise<Slice<Reading>> {
    const wanted = filter === undefined ? own({}) : parseFilter(filter);
    const [rows, total] = await Promise.all([
      paging.pageSize === 0
        ? []
        : this.store.readings.find(target(spot), { filter: wanted, skip: paging.offset, limit: paging.pageSize, ...(sort && { sort }), ...(projection && { projection }) }),
      this.store.readings.count(target(spot), wanted),
    ]);
    return { rows, total };
  }

  /** The newest. */
  latest(spot: Spot, limit: number): Promise<Reading[]> {
    return this.store.readings.find(target(spot), { sort: { _ts: -1 }, limit });
  }

  aggregate(spot: Spot, pipeline: readonly unknown[]): Promise<JsonObject[]> {
    return this.store.readings.aggregate(target(spot), pipeline);
  }

  /** At most `limit` of those before the instant. */
  removeOlderThan(tx: DocumentTx, spot: Spot, before: Date, limit: number): Promise<WriteResult> {
    return this.store.readings.deleteOlderThan(tx, target(spot), before, limit);
  }
}
