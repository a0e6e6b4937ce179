import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { isRefusal, outcomeOf } from '@twinyard/conventions';
import { ItemAccess, type Place } from '../../nameditems/item-access';
import { NamedItemsRepository } from '../../nameditems/named-items.repository';
import { RelatedItemsRepository, spotOf } from '../../relateditems/related-items.repository';
import { SensorMemory } from './sensor-memory';

/** A telemetry item with the collection version that it was found in. */
export interface SensorHome {
  readonly place: Place;
  readonly sourceId: string | undefined;
}

/** `several`: more than one collection holds an item of this id. */
export type FoundHome = SensorHome | 'several';

/** Collections that are asked for at a time, and looked into at a time. */
const PAGE = 200;
const AT_A_TIME = 2;

/**
 * Finds the collections of telemetry items by the items' ids alone, among all that the caller may write readings to. Where a sensor was found is remembered for the
 * caller, and only where it is not there any more all collections are looked into again: one that has got a namesake elsewhere since then is still found where it was.
 * The look is made as the caller, so that a grant that has gone, or an item that has moved, is noticed.
 */
@Injectable()
export class SensorHomes {
  constructor(
    private readonly access: ItemAccess,
    private readonly items: NamedItemsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly memory: SensorMemory,
  ) {}

  /** Ids that are missing in the answer are in no collection that the caller may write readings to. */
  async find(ctx: RequestContext, ids: readonly string[]): Promise<Map<string, FoundHome>> {
    const look = this.memory.look(this.access.scopesFor(ctx, 'measure').flatMap(({ areas }) => areas));
    const found = await this.findWhereTheyWere(ctx, ids);
    const rest = ids.filter((id) => !found.has(id) && !this.memory.isMissing(ctx.callerId, id, look.areas));
    if (rest.length === 0) return found;
    for await (const collections of this.collections(ctx)) {
      for (let first = 0; first < collections.length; first += AT_A_TIME) {
        const homes = await Promise.all(collections.slice(first, first + AT_A_TIME).map((key) => this.lookInto(ctx, key, rest)));
        for (const [id, home] of homes.flat()) found.set(id, found.has(id) ? 'several' : home);
      }
    }
    for (const id of rest) {
      const home = found.get(id);
      if (home === 'several') this.memory.forget(ctx.callerId, id);
      else this.memory.remember(ctx.callerId, id, home?.place.item._id ?? look);
    }
    return found;
  }

  private async findWhereTheyWere(ctx: RequestContext, ids: readonly string[]): Promise<Map<string, FoundHome>> {
    const byCollection = new Map<string, string[]>();
    for (const id of ids) {
      const home = this.memory.homeOf(ctx.callerId, id);
      if (home === undefined) continue;
      const sensors = byCollection.get(home);
      if (sensors === undefined) byCollection.set(home, [id]);
      else sensors.push(id);
    }
    const found = new Map<string, FoundHome>();
    for (const [collection, sensors] of byCollection) {
      for (const [id, home] of await this.lookInto(ctx, collection, sensors)) found.set(id, home);
    }
    return found;
  }

  /** Nothing where the caller may not write readings, or may not any more. */
  private async lookInto(ctx: RequestContext, collection: string, ids: readonly string[]): Promise<[string, SensorHome][]> {
    const place = await outcomeOf(this.access.placeFor(ctx, collection, undefined, 'measure'));
    if (isRefusal(place)) return [];
    const sources = await this.related.sources(undefined, spotOf(place), ids);
    return [...sources].map(([id, sourceId]) => [id, { place, sourceId }]);
  }

  private async *collections(ctx: RequestContext): AsyncGenerator<string[]> {
    for (let after: string | undefined; ;) {
      const page = await this.items.telemetryCollections(this.access.scopesFor(ctx, 'measure'), after, PAGE);
      yield page.map(({ _id }) => _id);
      if (page.length < PAGE) return;
      after = page.at(-1)?._id;
    }
  }
}
