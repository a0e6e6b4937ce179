import { forbidden } from '@twinyard/conventions';
import type { DocumentTx, JsonObject } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import type { RelatedItem } from './related-item';
import { type RelatedItemsRepository, type Spot, spotOf, wholeSpotOf } from './related-items.repository';

/**
 * Those of the ids that the caller may act on. One that it may READ alone: 403. What it may not READ is not there (contract 0.2),
 * so it is left out, as one that does not exist.
 */
export async function reachedOf(related: RelatedItemsRepository, tx: DocumentTx, place: Place, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = await related.existing(tx, spotOf(place), ids);
  await requireNoneSeen(related, tx, place, ids.filter((id) => !reached.has(id)));
  return reached;
}

/** 403 when the caller may READ one of these, which it may not act on. */
export async function requireNoneSeen(related: RelatedItemsRepository, tx: DocumentTx, place: Place, ids: readonly string[]): Promise<void> {
  if (place.only === undefined || ids.length === 0) return;
  const visible = await related.existing(tx, seenSpotOf(place), ids);
  if (visible.size > 0) throw beyondPart();
}

/** After all that match and may be deleted are: 403 when there are others that match, which the caller may READ and not delete. */
export async function requireNoneLeft(related: RelatedItemsRepository, tx: DocumentTx, place: Place, filter: JsonObject): Promise<void> {
  if (place.only === undefined) return;
  if ((await related.matching(tx, seenSpotOf(place), filter)).length > 0) throw beyondPart();
}

/**
 * 403 when one of the items would lie where the caller may not act, so none leaves its part and none is brought in. Before they are written: what a
 * unique index holds outside of the part is told to nobody who may not write there.
 */
export async function requireWithin(related: RelatedItemsRepository, tx: DocumentTx, place: Place, items: readonly RelatedItem[]): Promise<void> {
  if (place.only === undefined || items.length === 0) return;
  const inside = await related.tried(tx, spotOf(place), items);
  if (items.some(({ _id }) => !inside.has(_id))) throw beyondPart();
}

/** What the caller may READ. */
export const seenSpotOf = (place: Place): Spot => ({ ...wholeSpotOf(place), ...(place.seen && { only: place.seen }) });

const beyondPart = () => forbidden('You may do this to some items of this collection, and not to all of these; an owner of its namespace can grant more');
