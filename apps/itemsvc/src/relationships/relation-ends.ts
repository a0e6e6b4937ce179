import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { Place } from '../nameditems/item-access';
import { reachOf } from '../nameditems/item-reach';
import { ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { RelatedItemsRepository, type Spot, spotInReach, spotOf } from '../relateditems/related-items.repository';
import { type NearEnd, type ReachableEnds, RelationsRepository } from './relations.repository';

/** Which ends of relations a caller may see: where it may READ some related items only, those by their ids, so that totals are right. */
@Injectable()
export class RelationEnds {
  constructor(
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
  ) {}

  /** `others` are the collections at the other end that the caller may READ, wholly or in part. */
  async reach(ctx: RequestContext, place: Place, near: NearEnd, others: readonly NamedItem[]): Promise<ReachableEnds> {
    const scopes = [ctx.access.scope('READ', ITEM_TYPE)];
    const isWhole = new Map(others.map((item) => [item._id, reachOf(scopes, item) === 'all']));
    const parts = [];
    for (const item of others.filter(({ _id }) => isWhole.get(_id) === false)) {
      for (const versionId of await this.relations.otherVersions(near, item._id)) {
        const spot = spotInReach(scopes, item, versionId);
        if (spot !== undefined) parts.push({ versionId, ids: await this.idsIn(spot) });
      }
    }
    return {
      wholeItems: others.filter(({ _id }) => isWhole.get(_id)).map(({ _id }) => _id),
      parts,
      ...(place.only && { ownIds: await this.idsIn(spotOf(place)) }),
    };
  }

  private idsIn(spot: Spot): Promise<readonly string[]> {
    return this.related.idsInReach(spot);
  }
}
