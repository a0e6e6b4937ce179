import { Injectable } from '@nestjs/common';
import type { NamespaceScope, RequestContext } from '@twinyard/auth';
import type { ParsedFilter, TargetedQuery, TextPage } from '@twinyard/documents';
import { type Action, invalidField, isObjectId, notFound } from '@twinyard/conventions';
import { VersionsRepository } from '../versions/versions.repository';
import { isShownAsStored } from '../relateditems/related-item';
import { NOTHING, partOf, reachOf, RIGHTS, type Use } from './item-reach';
import { ITEM_CLASSES, ITEM_TYPE, type NamedItem, targetOf } from './named-item';
import { NamedItemsRepository } from './named-items.repository';
import { type VisitedPlace, VisitedPlaces } from './visited-places';

/** One version of one collection: where an operation on related items takes place. */
export interface Place {
  readonly item: NamedItem;
  readonly versionId: string;
  readonly version: number;
  /** The related items that the caller may act on; absent: all. */
  readonly only?: ParsedFilter;
  /** Those that it may READ; absent: all. */
  readonly seen?: ParsedFilter;
}

/** What a path and its query name. */
interface Named {
  readonly key: string;
  readonly versionId: string | undefined;
}

/** Finds what a path names, as far as the caller may (contract 0.2 and 0.4). */
@Injectable()
export class ItemAccess {
  private readonly places = new VisitedPlaces();

  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
  ) {}

  /** `key`: `_id` or `_userItemId`. One of `actions` is enough. What the caller may neither act on nor READ: 404; may READ only: 403. */
  async item(ctx: RequestContext, key: string, ...actions: readonly Action[]): Promise<NamedItem> {
    const scopes = [...new Set<Action>(['READ', ...actions])].map((action) => ctx.access.scope(action, ITEM_TYPE));
    const item = await this.items.findByKey(scopes, key);
    if (item === undefined) throw notFound('item', key);
    const target = targetOf(item);
    if (!actions.some((action) => ctx.access.holds(action, target))) throw ctx.access.denial(actions, target);
    return item;
  }

  /** The collection version that `userItemVersionId` names, the tip without it. For who may act on the whole collection. */
  async place(ctx: RequestContext, key: string, versionId: string | undefined, ...actions: readonly Action[]): Promise<Place> {
    return this.versionIn(await this.item(ctx, key, ...actions), versionId);
  }

  /** The same for who may act on some of its related items only: the place says on which. */
  async placeFor(ctx: RequestContext, key: string, versionId: string | undefined, use: Use): Promise<Place> {
    const item = await this.items.findByKey(this.scopesFor(ctx, use), key, { withParts: true });
    if (item === undefined) throw notFound('item', key);
    const place = await this.placeIn(ctx, { item, key }, versionId, use);
    if (place.only === undefined && place.versionId === item._tipId && isShownAsStored(item)) this.places.note(ctx, key, { itemId: item._id, versionId: place.versionId });
    return place;
  }

  /** Where this caller found the tip of the collection when it last came; only a guess. */
  visited(ctx: RequestContext, key: string): VisitedPlace | undefined {
    return this.places.get(ctx, key);
  }

  /** The place, to be read in, looked up together with what is to be read there by the guess; a page that the guess was wrong for is left out. */
  async placeWith(ctx: RequestContext, { key, versionId }: Named, guess: VisitedPlace, wanted: TargetedQuery): Promise<{ readonly place: Place; readonly page?: TextPage }> {
    const { item, page } = await this.items.findByKeyWith(this.scopesFor(ctx, 'read'), key, { withParts: true }, wanted);
    if (item === undefined) throw notFound('item', key);
    const place = await this.placeIn(ctx, { item, key }, versionId, 'read');
    const isRight = item._id === guess.itemId && place.versionId === guess.versionId && place.only === undefined;
    if (!isRight) this.places.forget(ctx, key);
    return { place, ...(isRight && { page }) };
  }

  private async placeIn(ctx: RequestContext, { item, key }: { readonly item: NamedItem; readonly key: string }, versionId: string | undefined, use: Use): Promise<Place> {
    const { whole, part } = RIGHTS[use];
    const target = targetOf(item);
    const scopesOf = (actions: readonly Action[]) => actions.map((action) => ctx.access.scope(action, ITEM_TYPE));
    const reach = reachOf(scopesOf(['READ']), item);
    const seen = reach === 'all' ? {} : { seen: reach === 'none' ? NOTHING : reach };
    if (whole.some((action) => ctx.access.holds(action, target))) return { ...(await this.versionIn(item, versionId)), ...seen };
    const only = partOf(scopesOf(part), item);
    if (only === 'none') throw reach === 'none' ? notFound('item', key) : ctx.access.denial(whole, target);
    return { ...(await this.versionIn(item, versionId)), only, ...seen };
  }

  private versionIn(item: NamedItem, versionId: string | undefined): Promise<Place> {
    if (!ITEM_CLASSES[item._itemClass].holdsItems) throw invalidField('id', `is a ${item._itemClass}, which holds no related items`);
    return this.versionOf(item, versionId);
  }

  async versionOf(item: NamedItem, versionId: string | undefined): Promise<Place> {
    if (versionId === undefined || versionId === item._tipId) return { item, versionId: item._tipId, version: item._tipVersion };
    const version = isObjectId(versionId) ? await this.versions.find(item._id, versionId) : undefined;
    if (version === undefined) throw notFound('version', versionId);
    return { item, versionId: version._id, version: version._version };
  }

  /** What a caller may look up for a use; what is found is still to be judged. */
  scopesFor(ctx: RequestContext, use: Use): NamespaceScope[] {
    const { whole, part } = RIGHTS[use];
    return [...new Set<Action>(['READ', ...whole, ...part])].map((action) => ctx.access.scope(action, ITEM_TYPE));
  }

  /** 403 where there can be no place for this at all. */
  requireAnywhere(ctx: RequestContext, use: Use): void {
    const { whole, part } = RIGHTS[use];
    const mayAnywhere = [...whole, ...part].some((action) => ctx.access.scope(action, ITEM_TYPE).areas.length > 0);
    if (!mayAnywhere) throw ctx.access.denial(whole, { type: ITEM_TYPE, id: '*', namespaces: ctx.namespaces });
  }

  requireClass(place: Place, itemClass: NamedItem['_itemClass']): void {
    if (place.item._itemClass !== itemClass) throw invalidField('id', `is a ${place.item._itemClass}, not a ${itemClass}`);
  }
}
