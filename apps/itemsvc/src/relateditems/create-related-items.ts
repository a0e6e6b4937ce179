import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { eachInTurn, mapInTurns, newObjectId, newUuid, type MetadataRecord } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { Outcome } from '@twinyard/service-kit';
import type { Place } from '../nameditems/item-access';
import { type Link, type LinkDraft, pairsIn, RelationLinks } from '../relationships/relation-links';
import { newMetadata } from '../storage/authorship';
import { chunksOf } from '../storage/filters';
import { Issues } from '../storage/issues';
import { CollectionWrites, eachAlone, type Effect, type JointWrite, jointly, type PreparedWrite, settled, weightOf, type WriteOptions } from './collection-writes';
import { type ListPart, partsOfList, type SizedList } from './list-parts';
import { hasContentOf, type RelatedItem, type RelatedItemDraft, type MadeItems } from './related-item';
import { requireWithin, seenSpotOf } from './part-rule';
import { RelatedItemsRepository, spotOf, wholeSpotOf } from './related-items.repository';
import { UniqueRules } from './unique-rules';

/** What one request makes. */
export interface Batch {
  readonly ctx: RequestContext;
  readonly place: Place;
  readonly drafts: readonly RelatedItemDraft[];
  /** As they will be stored, in the order of the drafts. */
  readonly items: readonly RelatedItem[];
  readonly links: readonly Link[];
  /** Hears of how many items are written. */
  readonly onWritten?: ((count: number) => void) | undefined;
}

/** Makes related items, all of a request or none. */
@Injectable()
export class CreateRelatedItems implements JointWrite<Batch, MadeItems> {
  constructor(
    private readonly writes: CollectionWrites,
    private readonly related: RelatedItemsRepository,
    private readonly rules: UniqueRules,
    private readonly links: RelationLinks,
  ) {}

  async run(
    ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[], finish?: WriteOptions<MadeItems>['finish'], onWritten?: Batch['onWritten'],
  ): Promise<MadeItems> {
    const { alsoLock, write, batch } = await this.prepare(ctx, place, drafts, onWritten);
    const weight = onWritten === undefined ? weightOf(drafts, pairsIn(batch.links)) : undefined;
    const joint = canJoin(batch) ? jointly(this, batch) : undefined;
    return this.rules.indexes.named(batch, () => this.writes.run(ctx.origin, place, write, { alsoLock, finish, weight, joint, lastOf: ctx }));
  }

  /** The same, to be written in a transaction that does more. */
  async prepare(ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[], onWritten?: Batch['onWritten']): Promise<PreparedWrite<MadeItems> & { readonly batch: Batch }> {
    const at = Date.now();
    const metadata = newMetadata(ctx, at);
    const withGuid = place.item._itemClass !== 'NamedTelemetryCollection';
    const items = await mapInTurns(drafts, (draft) => toItem(draft, metadata, withGuid));
    const links = await this.links.resolve(ctx, drafts.flatMap((draft, index) => linksOf(draft, (items[index] as RelatedItem)._id)));
    const batch: Batch = { ctx, place, drafts, items, links, onWritten };
    return { batch, alsoLock: this.links.targetVersions(links), write: (tx) => this.write(tx, batch) };
  }

  /** Those of many callers as one list. Which of them are there already is looked up for all, and judged for each by what its caller may see. */
  async writeTogether(tx: DocumentTx, place: Place, batches: readonly Batch[]): Promise<readonly Outcome<Effect<MadeItems>>[]> {
    if (haveIdsInCommon(batches)) return eachAlone(batches, (batch) => this.write(tx, batch));
    const stored = await this.storedAs(tx, place, batches.flatMap(({ drafts }) => drafts));
    // One after the other: a transaction of MongoDB answers one question at a time.
    const judged = await eachInTurn(batches, (batch) => settled(this.alreadyThere(tx, batch, stored)));
    const fresh = judged.map((there, index) => (there.status === 'rejected' ? [] : freshIn(batches[index] as Batch, there.value)));
    const items = fresh.flat();
    const { list, sizes } = items.length === 0 ? NO_LIST : await this.related.insertMany(tx, spotOf(place), items);
    const parts = partsOfList(list, sizes, fresh.map(({ length }) => length));
    return judged.map((there, index) => {
      if (there.status === 'rejected') return there;
      const part = parts[index] as ListPart;
      return { status: 'fulfilled', value: effectOf(batches[index] as Batch, there.value, { items: fresh[index] ?? [], bytes: part.bytes, lists: [part] }) };
    });
  }

  private async write(tx: DocumentTx, batch: Batch): Promise<Effect<MadeItems>> {
    const { place, drafts, items, links, onWritten } = batch;
    await requireWithin(this.related, tx, place, items);
    const there = await this.alreadyThere(tx, batch, await this.storedAs(tx, place, drafts));
    const fresh = freshIn(batch, there);
    if (place.item._itemClass === 'NamedTelemetryCollection') {
      await this.rules.sources.check(tx, place, fresh, new Map(items.map(({ _id }, index) => [_id, drafts[index] as RelatedItemDraft])));
    }
    let [count, bytes] = [0, 0];
    const lists: SizedList[] = [];
    if (there.size > 0) onWritten?.(there.size);
    for (const part of chunksOf(fresh)) {
      const written = await this.related.insertMany(tx, spotOf(place), part);
      [count, bytes] = [count + written.count, bytes + written.bytes];
      lists.push(written);
      onWritten?.(there.size + count);
    }
    await this.links.add(tx, place, links);
    return effectOf(batch, there, { items: fresh, bytes, lists });
  }

  /** What is stored under the ids that drafts supply, each in one of them. */
  private async storedAs(tx: DocumentTx, place: Place, drafts: readonly RelatedItemDraft[]): Promise<ReadonlyMap<string, StoredAs>> {
    const byId = new Map(drafts.flatMap((draft) => (draft.id === undefined ? [] : [[draft.id, draft] as const])));
    const found = new Map<string, StoredAs>();
    if (byId.size === 0) return found;
    for await (const some of this.related.stored(tx, wholeSpotOf(place), [...byId.keys()])) {
      for (const item of some) found.set(item._id, { _id: item._id, _metadata: item._metadata, ...(hasContentOf(item, byId.get(item._id) as RelatedItemDraft) && { item }) });
    }
    return found;
  }

  /**
   * Of what is stored under the ids of a request, what it asked for. Contract 2.3: an item that is there with the same content counts as made;
   * with other content: 400 naming it.
   */
  private async alreadyThere(tx: DocumentTx, { ctx, place, drafts }: Batch, all: ReadonlyMap<string, StoredAs>): Promise<Items> {
    const stored = new Map(suppliedIds(drafts).flatMap((id) => (all.has(id) ? [[id, all.get(id) as StoredAs]] : [])));
    if (stored.size === 0) return NONE;
    // Of what the caller may not READ it hears the same whatever the content is: it could find out a value by trying all of them. What it has made it knows.
    const known = place.seen === undefined ? stored : await this.related.existing(tx, seenSpotOf(place), [...stored.keys()]);
    const isKnown = ({ _id, _metadata }: StoredAs) => known.has(_id) || (_metadata._createdById === ctx.callerId && _metadata._updatedById === ctx.callerId);
    const issues = new Issues();
    for (const draft of drafts) {
      const there = draft.id === undefined ? undefined : stored.get(draft.id);
      if (there !== undefined && !(isKnown(there) && there.item !== undefined)) issues.add(`${draft.at}._id`, `${there._id} is there with other content`);
    }
    issues.refuse();
    return new Map([...stored].map(([id, { item }]) => [id, item as RelatedItem]));
  }
}

/** What is stored under an id that a request supplies. */
interface StoredAs extends Pick<RelatedItem, '_id' | '_metadata'> {
  /** All of it where it says what the request says: more is not held than was sent. */
  readonly item?: RelatedItem;
}

type Items = ReadonlyMap<string, RelatedItem>;
const NONE: Items = new Map();
const NO_LIST = { list: Buffer.alloc(0), sizes: [] };

const suppliedIds = (drafts: readonly RelatedItemDraft[]): string[] => drafts.flatMap(({ id }) => id ?? []);
const freshIn = ({ items }: Batch, there: Items) => (there.size === 0 ? items : items.filter(({ _id }) => !there.has(_id)));

/** Sensors stand once, parts have borders, and relations have targets: what has to be looked at for each item is not done for many callers at once. */
const canJoin = ({ place, links }: Batch) => place.only === undefined && links.length === 0 && place.item._itemClass !== 'NamedTelemetryCollection';

function haveIdsInCommon(batches: readonly Batch[]): boolean {
  const ids = batches.flatMap(({ items }) => items.map(({ _id }) => _id));
  return new Set(ids).size < ids.length;
}

interface Inserted {
  readonly items: readonly RelatedItem[];
  readonly bytes: number;
  readonly lists: readonly SizedList[];
}

const effectOf = ({ items }: Batch, there: Items, inserted: Inserted): Effect<MadeItems> => ({
  answer: there.size === 0 ? { items, lists: inserted.lists } : { items: items.map((item) => there.get(item._id) ?? item) },
  items: { verb: 'created', changed: inserted.items.length, ids: inserted.items.map(({ _id }) => _id), growth: { count: inserted.items.length, bytes: inserted.bytes } },
});

function toItem(draft: RelatedItemDraft, metadata: MetadataRecord, withGuid: boolean): RelatedItem {
  const guid = draft.guid ?? (withGuid ? newUuid() : undefined);
  const _id = draft.id ?? newObjectId(metadata._createdAt);
  // What `{ ...properties, _id }` makes, in a tenth of the time (docs/performance/items.md): a bulk holds thousands.
  return Object.assign({}, draft.properties, guid === undefined ? { _id, _metadata: metadata } : { _id, _guid: guid, _metadata: metadata });
}

export const linksOf = (draft: RelatedItemDraft, fromId: string): LinkDraft[] => (draft.relations ?? []).map((relation) => ({ ...relation, fromId }));
