import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { mapInTurns, notFound } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import { type Link, pairsIn, RelationLinks } from '../relationships/relation-links';
import { endKey } from '../relationships/relation';
import { RelationsRepository } from '../relationships/relations.repository';
import { touched } from '../storage/authorship';
import { Issues } from '../storage/issues';
import { type Difference, type StoredUpdate, toUpdates } from '../updatelogs/update-log';
import { UpdateLogsRepository } from '../updatelogs/update-logs.repository';
import { CollectionWrites, type Effect, weightOf, type WriteOptions } from './collection-writes';
import { linksOf } from './create-related-items';
import { requireNoneSeen, requireWithin } from './part-rule';
import type { RelatedItem, RelatedItemDraft } from './related-item';
import { RelatedItemsRepository, spotOf } from './related-items.repository';
import { UniqueRules } from './unique-rules';

/** Replaces related items by `_id`, all of a request or none. */
@Injectable()
export class ReplaceRelatedItems {
  constructor(
    private readonly writes: CollectionWrites,
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
    private readonly rules: UniqueRules,
    private readonly links: RelationLinks,
    private readonly logs: UpdateLogsRepository,
  ) {}

  async run(ctx: RequestContext, place: Place, drafts: readonly RelatedItemDraft[], finish?: WriteOptions<readonly RelatedItem[]>['finish']): Promise<readonly RelatedItem[]> {
    const at = Date.now();
    const links = await this.links.resolve(ctx, drafts.flatMap((draft) => linksOf(draft, draft.id as string)));
    let items: readonly RelatedItem[] = [];
    const work = async (tx: DocumentTx) => {
      const { anew, updates } = await this.renew(tx, { ctx, place, drafts, at });
      await this.requireAll(tx, place, drafts, anew);
      items = drafts.map(({ id }) => anew.get(id as string) as RelatedItem);
      const effect = await this.write(tx, { place, drafts, items, links });
      await this.logs.addOfRelatedItems(tx, spotOf(place), updates);
      return effect;
    };
    const weight = weightOf(drafts, pairsIn(links));
    const write = () => this.writes.run(ctx.origin, place, work, { alsoLock: this.links.targetVersions(links), finish, weight, lastOf: ctx });
    return this.rules.indexes.named({ place, drafts, get items() { return items; } }, write);
  }

  /**
   * The items as they will be, of those that are there, and the last of what their logs will tell. What they replace is not held longer than it is compared: it may be
   * a thousand times what was sent.
   */
  private async renew(tx: DocumentTx, { ctx, place, drafts, at }: Renewal): Promise<{ readonly anew: ReadonlyMap<string, RelatedItem>; readonly updates: readonly StoredUpdate[] }> {
    const byId = new Map(drafts.map((draft) => [draft.id as string, draft]));
    const anew = new Map<string, RelatedItem>();
    let updates: readonly StoredUpdate[] = [];
    for await (const some of this.related.stored(tx, spotOf(place), [...byId.keys()])) {
      await this.logs.addOfRelatedItems(tx, spotOf(place), updates);
      const differences = await mapInTurns(some, (old) => difference(place, old, renewed(byId.get(old._id) as RelatedItemDraft, old, touched(old._metadata, ctx, at))));
      for (const { after } of differences) anew.set(after._id, after);
      updates = toUpdates(ctx, at, differences);
    }
    return { anew, updates };
  }

  private async write(
    tx: DocumentTx,
    { place, drafts, items, links }: { readonly place: Place; readonly drafts: readonly RelatedItemDraft[]; readonly items: readonly RelatedItem[]; readonly links: readonly Link[] },
  ): Promise<Effect<readonly RelatedItem[]>> {
    await requireWithin(this.related, tx, place, items);
    await this.rules.sources.check(tx, place, items, new Map(drafts.map((draft) => [draft.id as string, draft])));
    const { bytes, replacedBytes } = items.length === 0 ? { bytes: 0, replacedBytes: 0 } : await this.related.replaceMany(tx, spotOf(place), items);
    // Contract 2.4: relations inside an item replace its outgoing ones; an item that says nothing of them keeps them.
    const said = drafts.filter(({ relations }) => relations !== undefined).map(({ id }) => id as string);
    await this.relations.removeOutgoing(tx, place.versionId, said);
    await this.links.add(tx, place, links);
    return {
      answer: items,
      items: { verb: 'updated', changed: items.length, ids: items.map(({ _id }) => _id), growth: { count: 0, bytes: bytes - replacedBytes } },
    };
  }

  /** Contract 2.3: an array with an unknown `_id`: 400, nothing written; a single one: 404. */
  private async requireAll(tx: DocumentTx, place: Place, drafts: readonly RelatedItemDraft[], stored: ReadonlyMap<string, RelatedItem>): Promise<void> {
    await requireNoneSeen(this.related, tx, place, drafts.map(({ id }) => id as string).filter((id) => !stored.has(id)));
    const issues = new Issues();
    for (const { at, id } of drafts) {
      if (stored.has(id as string)) continue;
      if (at === '') throw notFound('related item', id as string);
      issues.add(`${at}._id`, `there is no related item ${id}`);
    }
    issues.refuse();
  }
}

interface Renewal {
  readonly ctx: RequestContext;
  readonly place: Place;
  readonly drafts: readonly RelatedItemDraft[];
  readonly at: number;
}

function renewed({ properties, guid }: RelatedItemDraft, old: RelatedItem, metadata: RelatedItem['_metadata']): RelatedItem {
  const kept = guid ?? old._guid;
  return { ...properties, _id: old._id, ...(kept !== undefined && { _guid: kept }), _metadata: metadata };
}

const difference = ({ versionId }: Place, before: RelatedItem, after: RelatedItem): Difference & { readonly after: RelatedItem } => ({ of: endKey(versionId, after._id), version: versionId, before, after });
