import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type Page, type QueryValues, toPage } from '@twinyard/conventions';
import type { JsonObject } from '@twinyard/documents';
import { ItemAccess } from '../nameditems/item-access';
import { ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { parseListQuery } from '../storage/list-query';
import type { VersionRecord } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import type { Relation } from './relation';
import { RelationEnds } from './relation-ends';
import { type Direction, RelationsRepository } from './relations.repository';
import type { RelationshipDto } from './relationship.dto';
import { type OtherEnds, ownIdsIn, toStoredFilter } from './relationship-query';

/** Collections, or versions of them, that the relations of one collection version may lead to. */
const MAX_OTHERS = 10_000;

@Injectable()
export class RelationshipsService {
  constructor(
    private readonly access: ItemAccess,
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly relations: RelationsRepository,
    private readonly ends: RelationEnds,
  ) {}

  /** Only relations both of whose ends the caller may READ. */
  async list(ctx: RequestContext, key: string, query: QueryValues, direction: Direction): Promise<Page<RelationshipDto>> {
    const wanted = parseListQuery(ctx, query);
    const place = await this.access.placeFor(ctx, key, wanted.versionId, 'read');
    const { filter, ...rest } = wanted;
    const near = { direction, versionId: place.versionId, ids: filter && ownIdsIn(filter, direction) };
    const others = await this.readable(ctx, await this.relations.otherItems(near));
    const reach = await this.ends.reach(ctx, place, near, others);
    const stored = filter === undefined ? rest : { ...rest, filter: await toStoredFilter(filter, direction, this.otherEnds(ctx, others)) };
    const slice = await this.relations.list(near, reach, stored);
    const versions = await this.versions.findMany([...new Set(slice.rows.map((row) => otherEnd(row, direction).versionId))]);
    const byId = new Map(others.map((item) => [item._id, item]));
    const byVersion = new Map(versions.map((version) => [version._id, version]));
    return toPage(slice, wanted.paging, (row) => toRecord(row, direction, byId, byVersion));
  }

  private readable(ctx: RequestContext, ids: readonly string[]): Promise<NamedItem[]> {
    return this.items.findByKeys([ctx.access.scope('READ', ITEM_TYPE)], ids, { withParts: true });
  }

  private otherEnds(ctx: RequestContext, others: readonly NamedItem[]): OtherEnds {
    const ids = others.map(({ _id }) => _id);
    const scope = ctx.access.scope('READ', ITEM_TYPE);
    return {
      itemsWhere: async (condition: JsonObject) => (await this.items.findWhere([scope], { $and: [{ _id: { $in: ids } }, condition] }, MAX_OTHERS, { withParts: true })).map(({ _id }) => _id),
      versionsWhere: async (condition: JsonObject) => (await this.versions.ofItems(ids, condition, MAX_OTHERS)).map(({ _id }) => _id),
    };
  }
}

const otherEnd = (relation: Relation, direction: Direction) =>
  direction === 'outgoing' ? { itemId: relation.toItem, versionId: relation.toVersion } : { itemId: relation.fromItem, versionId: relation.fromVersion };

function toRecord(relation: Relation, direction: Direction, items: ReadonlyMap<string, NamedItem>, versions: ReadonlyMap<string, VersionRecord>): RelationshipDto {
  const { itemId, versionId } = otherEnd(relation, direction);
  const item = items.get(itemId) as NamedItem;
  return {
    _id: relation._id,
    _relatedFromId: relation.fromId,
    _relatedToIds: [relation.toId],
    _relatedUserItemId: item._userItemId,
    _relatedUserItemDbId: item._id,
    _relatedUserItemClass: item._itemClass,
    _relatedUserType: item._userType,
    _relatedUserItemVersionId: versionId,
    _relatedUserItemVersion: versions.get(versionId)?._version ?? item._tipVersion,
    _isInverse: direction === 'inverse',
  };
}
