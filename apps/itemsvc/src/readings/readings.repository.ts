import { Injectable } from '@nestjs/common';
import { limitExceeded, type Slice } from '@twinyard/conventions';
import { allOf, type DocumentTx, DocumentStore, type JsonObject, type ParsedFilter, parseFilter, type PipelineCaller, type Reading, type UpsertResult, type WriteResult } from '@twinyard/documents';
import type { Spot } from '../relateditems/related-items.repository';
import { relatedItemsOf } from '../storage/collections';
import { own } from '../storage/filters';
import type { ListQuery } from '../storage/list-query';

/** Portions that are held together: some hundred megabytes. */
const MOST_CUTS = 16;

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

  /** As `put` for each in turn. */
  putGroups(tx: DocumentTx, spot: Spot, groups: readonly (readonly Reading[])[]): Promise<UpsertResult[]> {
    return this.store.readings.upsertGroups(tx, target(spot), groups);
  }

  /** Those that the same items have at the same instants. Errors: `limit_exceeded` for so much that nobody can put it together with what was sent. */
  async at(tx: DocumentTx, spot: Spot, readings: readonly Reading[]): Promise<Reading[]> {
    const there: Reading[] = [];
    let cuts = 0;
    for (const [item, instants] of instantsByItem(readings)) {
      const sorted = [...instants].sort();
      for (let from: JsonObject | undefined = { $gte: sorted[0] }; from !== undefined;) {
        const filter = own({ '_tsMetadata._telItemId': item, _ts: { ...from, $lte: sorted.at(-1), $in: sorted } });
        const { documents, isCut } = await this.store.readings.portion(target(spot), { filter, limit: sorted.length }, tx);
        for (const reading of documents) there.push(reading);
        if (isCut && (cuts += 1) === MOST_CUTS) throw limitExceeded('What is there at these instants is too much at a time; send fewer readings', 'body');
        from = isCut ? { $gt: documents.at(-1)?._ts } : undefined;
      }
    }
    return there;
  }

  /** `only`: those that are in the caller's reach; absent: all. */
  async list(spot: Spot, { filter, sort, projection, paging }: Omit<ListQuery, 'tenant'>, only?: ParsedFilter): Promise<Slice<Reading>> {
    const asked = filter === undefined ? own({}) : parseFilter(filter);
    const wanted = only === undefined ? asked : allOf(asked, only);
    const [rows, total] = await Promise.all([
      paging.pageSize === 0
        ? []
        : this.store.readings.find(target(spot), { filter: wanted, skip: paging.offset, limit: paging.pageSize, mayBeCut: true, ...(sort && { sort }), ...(projection && { projection }) }),
      this.store.readings.count(target(spot), wanted),
    ]);
    return { rows, total, ...(rows.length < paging.pageSize && paging.offset + rows.length < total && { isCut: true }) };
  }

  /** The newest, of which a few are enough where they weigh much. */
  async latest(spot: Spot, limit: number): Promise<readonly Reading[]> {
    return (await this.store.readings.portion(target(spot), { sort: { _ts: -1 }, limit })).documents;
  }

  aggregate(spot: Spot, pipeline: readonly unknown[], only: ParsedFilter | undefined, caller: PipelineCaller): Promise<JsonObject[]> {
    return this.store.readings.aggregate(target(spot), only === undefined ? pipeline : [{ $match: only }, ...pipeline], caller);
  }

  /** At most `limit` of those before the instant. */
  removeOlderThan(tx: DocumentTx, spot: Spot, before: Date, limit: number): Promise<WriteResult> {
    return this.store.readings.deleteOlderThan(tx, target(spot), before, limit);
  }
}
