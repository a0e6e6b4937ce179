import { Injectable } from '@nestjs/common';
import type { Slice } from '@twinyard/conventions';
import { allOf, type DocumentTx, DocumentStore, type JsonObject, type ParsedFilter, parseFilter, type Reading, type UpsertResult, type WriteResult } from '@twinyard/documents';
import type { Spot } from '../relateditems/related-items.repository';
import { relatedItemsOf } from '../storage/collections';
import { own } from '../storage/filters';
import type { ListQuery } from '../storage/list-query';

const target = ({ itemId, versionId }: Spot) => relatedItemsOf(itemId, versionId);

/** The series of these telemetry items. */
export const readingsOf = (ids: readonly string[]): ParsedFilter => own({ '_tsMetadata._telItemId': { $in: ids } });

function instantsByItem(readings: readonly Reading[]): Map<string, Set<string>> {
  const instants = new Map<string, Set<string>>();
  for (const { _ts, _tsMetadata: { _telItemId } } of readings) instants.set(_telItemId, (instants.get(_telItemId) ?? new Set()).add(_ts));
  return instants;
}

/** The time series of collection versions, which `ItemAccess` found in the caller's scope. */
@Injectable()
export class ReadingsRepository {
  constructor(private readonly store: DocumentStore) {}

  put(tx: DocumentTx, spot: Spot, readings: readonly Reading[]): Promise<UpsertResult> {
    return this.store.readings.upsertMany(tx, target(spot), readings);
  }

  /** Those that the same items have at the same instants. */
  async at(tx: DocumentTx, spot: Spot, readings: readonly Reading[]): Promise<Reading[]> {
    const there: Reading[] = [];
    for (const [item, instants] of instantsByItem(readings)) {
      const sorted = [...instants].sort();
      const filter = own({ '_tsMetadata._telItemId': item, _ts: { $gte: sorted[0], $lte: sorted.at(-1), $in: sorted } });
      there.push(...(await this.store.readings.find(target(spot), { filter, limit: sorted.length }, tx)));
    }
    return there;
  }

  /** `only`: those that are in the caller's reach; absent: all. */
  async list(spot: Spot, { filter, sort, projection, paging }: ListQuery, only?: ParsedFilter): Promise<Slice<Reading>> {
    const asked = filter === undefined ? own({}) : parseFilter(filter);
    const wanted = only === undefined ? asked : allOf(asked, only);
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

  aggregate(spot: Spot, pipeline: readonly unknown[], only?: ParsedFilter): Promise<JsonObject[]> {
    return this.store.readings.aggregate(target(spot), only === undefined ? pipeline : [{ $match: only }, ...pipeline]);
  }

  /** At most `limit` of those before the instant. */
  removeOlderThan(tx: DocumentTx, spot: Spot, before: Date, limit: number): Promise<WriteResult> {
    return this.store.readings.deleteOlderThan(tx, target(spot), before, limit);
  }
}
