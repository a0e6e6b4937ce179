import { type EventOrigin, type NewEvent, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { Place } from '../nameditems/item-access';
import { versionOwner } from '../nameditems/named-items.events';
import { sizeOf, type VersionCounters } from '../versions/version';

export type Verb = 'created' | 'updated' | 'deleted';

/** What one request did to a collection version. */
export interface Written {
  readonly verb: Verb;
  readonly changed: number;
  readonly ids?: readonly string[];
}

const MAKERS = { created: resourceCreated, updated: resourceUpdated, deleted: resourceDeleted } as const;
/** Contract 0.5: the ids when there are at most 100. */
const MAX_IDS = 100;

const written = (place: Place, { changed, ids }: Written) => ({
  ...versionOwner(place.item, place.versionId), _versionId: place.versionId, _version: place.version, changed,
  ...(ids !== undefined && ids.length <= MAX_IDS && { ids: [...ids] }),
});

export const relatedItemsWritten = (place: Place, what: Written, counters: VersionCounters, origin: EventOrigin): NewEvent =>
  MAKERS[what.verb]('itemsvc.RelatedItems', { ...written(place, what), _relatedItemsCount: counters.relatedItemsCount, _size: sizeOf(counters) }, origin);

export const readingsWritten = (place: Place, what: Written, counters: VersionCounters, origin: EventOrigin): NewEvent =>
  MAKERS[what.verb]('itemsvc.Readings', { ...written(place, what), _readingsCount: counters.readingsCount, _timeSeriesSize: counters.timeSeriesSize }, origin);
