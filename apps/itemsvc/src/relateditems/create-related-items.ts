import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { newObjectId, newUuid, type MetadataRecord } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import { type Link, type LinkDraft, RelationLinks } from '../relationships/relation-links';
import { newMetadata } from '../storage/authorship';
import { chunksOf } from '../storage/filters';
import { Issues } from '../storage/issues';
import { CollectionWrites, type Effect, type PreparedWrite, type WriteOptions } from './collection-writes';
import { hasContentOf, type RelatedItem, type RelatedItemDraft, type MadeItems } from './related-item';
import { requireWithin, seenSpotOf } from './part-rule';
import { RelatedItemsRepository, spotOf, wholeSpotOf } from './related-items.repository';
import { UniqueRules } from './unique-rules';

interface Batch {
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
export class CreateRelatedItems {
  constructor(
    private readonly writes: CollectionWrites,
    private readonly related: RelatedItemsRepository,
    private readonly rules: UniqueRules,
    private readonly links: RelationLinks,
  ) {}

  async run(
    ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[], finish?: WriteOptions<MadeItems>['finish'], onWritten?: Batch['onWritten'],
  ): Promise<MadeItems> {
    const { alsoLock, write, items } = await this.prepare(ctx, place, drafts, onWritten);
    return this.rules.indexes.named({ place, drafts, items }, () => this.writes.run(ctx.origin, place, write, { alsoLock, finish }));
  }

  /** The same, to be written in a transaction that does more. */
  async prepare(ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[], onWritten?: Batch['onWritten']): Promise<PreparedWrite<MadeItems> & Pick<Batch, 'items'>> {
    const at = Date.now();
    const metadata = newMetadata(ctx, at);
    const withGuid = place.item._itemClass !== 'NamedTelemetryCollection';
    const items = drafts.map((draft) => toItem(draft, metadata, withGuid));
    const links = await this.links.resolve(ctx, drafts.flatMap((draft, index) => linksOf(draft, (items[index] as RelatedItem)._id)));
    const batch: Batch = { place, drafts, items, links, onWritten };
    return { items, alsoLock: this.links.targetVersions(links), write: (tx) => this.write(tx, ctx, batch) };
  }

  private async write(tx: DocumentTx, ctx: RequestContext, { place, drafts, items, links, onWritten }: Batch): Promise<Effect<MadeItems>> {
    await requireWithin(this.related, tx, place, items);
    const there = await this.alreadyThere(tx, ctx, place, drafts);
    const fresh = there.size === 0 ? items : items.filter(({ _id }) => !there.has(_id));
    if (place.item._itemClass === 'NamedTelemetryCollection') {
      await this.rules.sources.check(tx, place, fresh, new Map(items.map(({ _id }, index) => [_id, drafts[index] as RelatedItemDraft])));
    }
    let growth = { count: 0, bytes: 0 };
    const list: Buffer[] = [];
    if (there.size > 0) onWritten?.(there.size);
    for (const part of chunksOf(fresh)) {
      const { count, bytes, list: written } = await this.related.insertMany(tx, spotOf(place), part);
      growth = { count: growth.count + count, bytes: growth.bytes + bytes };
      list.push(written);
      onWritten?.(there.size + growth.count);
    }
    await this.links.add(tx, place, links);
    return {
      answer: there.size === 0 ? { items, list } : { items: items.map((item) => there.get(item._id) ?? item) },
      items: { verb: 'created', changed: fresh.length, ids: fresh.map(({ _id }) => _id), growth },
    };
  }

  /** Contract 2.3: an item of the request that is there with the same content counts as made; with other content: 400 naming it. */
  private async alreadyThere(tx: DocumentTx, ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[]): Promise<ReadonlyMap<string, RelatedItem>> {
    const supplied = drafts.filter(({ id }) => id !== undefined);
    if (supplied.length === 0) return new Map();
    const there = await this.related.findMany(tx, wholeSpotOf(place), supplied.map(({ id }) => id as string));
    // Of what the caller may not READ it hears the same whatever the content is: it could find out a value by trying all of them. What it has made it knows.
    const known = place.seen === undefined || there.size === 0 ? there : await this.related.existing(tx, seenSpotOf(place), [...there.keys()]);
    const isKnown = ({ _id, _metadata }: RelatedItem) => known.has(_id) || (_metadata._createdById === ctx.callerId && _metadata._updatedById === ctx.callerId);
    const issues = new Issues();
    for (const draft of supplied) {
      const stored = there.get(draft.id as string);
      if (stored !== undefined && !(isKnown(stored) && hasContentOf(stored, draft))) issues.add(`${draft.at}._id`, `${stored._id} is there with other content`);
    }
    issues.refuse();
    return there;
  }
}

function toItem(draft: RelatedItemDraft, metadata: MetadataRecord, withGuid: boolean): RelatedItem {
  const guid = draft.guid ?? (withGuid ? newUuid() : undefined);
  const _id = draft.id ?? newObjectId(metadata._createdAt);
  // What `{ ...properties, _id }` makes, in a tenth of the time (docs/performance/items.md): a bulk holds thousands.
  return Object.assign({}, draft.properties, guid === undefined ? { _id, _metadata: metadata } : { _id, _guid: guid, _metadata: metadata });
}

export const linksOf = (draft: RelatedItemDraft, fromId: string): LinkDraft[] => (draft.relations ?? []).map((relation) => ({ ...relation, fromId }));
