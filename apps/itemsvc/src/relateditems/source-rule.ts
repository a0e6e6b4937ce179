import { Injectable } from '@nestjs/common';
import { conflict, type FieldIssue, toldTogether } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import type { RelatedItem, RelatedItemDraft } from './related-item';
import { RelatedItemsRepository, wholeSpotOf } from './related-items.repository';

/** A sensor stands once in a version of a telemetry collection (contract 2.7): a second one is 409, naming the items. */
@Injectable()
export class SourceRule {
  constructor(private readonly related: RelatedItemsRepository) {}

  /** `written`: the items as they will be, under the version's lock; their own old records do not count. */
  async check(tx: DocumentTx, place: Place, written: readonly RelatedItem[], drafts: ReadonlyMap<string, RelatedItemDraft>): Promise<void> {
    if (place.item._itemClass !== 'NamedTelemetryCollection') return;
    const holders = new Map<string, string>();
    const faults: FieldIssue[] = [];
    const note = (item: RelatedItem, holder: string) =>
      faults.push({ field: sourceIdAt(drafts.get(item._id)?.at ?? item._id), issue: `${item._sourceId} belongs to ${place.seen === undefined ? `the item ${holder}` : 'another item'}` });
    for (const item of written) {
      if (item._sourceId === undefined) continue;
      const holder = holders.get(item._sourceId);
      if (holder !== undefined) note(item, holder);
      holders.set(item._sourceId, item._id);
    }
    const own = new Set(written.map(({ _id }) => _id));
    const others = (await this.related.withSources(tx, wholeSpotOf(place), [...holders.keys()])).filter(({ _id }) => !own.has(_id));
    const byId = new Map(written.map((item) => [item._id, item]));
    for (const other of others) note(byId.get(holders.get(other._sourceId as string) as string) as RelatedItem, other._id);
    if (faults.length > 0) throw conflict(toldTogether(faults.slice(0, 5)), faults);
  }
}

/** A body that is one item has no place within it. */
const sourceIdAt = (at: string) => (at === '' ? '_sourceId' : `${at}._sourceId`);
