import { Injectable } from '@nestjs/common';
import type { NamespaceScope, RequestContext } from '@twinyard/auth';
import type { DocumentTx } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import { ITEM_CLASSES, ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import type { RelationDraft } from '../relateditems/related-item';
import { reachedOf } from '../relateditems/part-rule';
import { RelatedItemsRepository, type Spot, spotInReach, spotOf } from '../relateditems/related-items.repository';
import { Issues } from '../storage/issues';
import type { VersionRecord } from '../versions/version';
import { VersionsRepository } from '../versions/versions.repository';
import { type Relation, toRelation } from './relation';
import { RelationsRepository } from './relations.repository';

/** One outgoing relation record: from which item, to what. */
export interface LinkDraft extends RelationDraft {
  readonly fromId: string;
}

/** Relations that records come to. */
export const pairsIn = (drafts: readonly LinkDraft[]): number => drafts.reduce((sum, { toIds }) => sum + toIds.length, 0);

/** A draft whose target collection version is known to exist and to be readable by the caller. */
export interface Link extends LinkDraft {
  readonly target: Spot;
}

/** Turns what a request says of relations into relations: resolved before the transaction, checked and made within it. */
@Injectable()
export class RelationLinks {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly versions: VersionsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
  ) {}

  /** A relation needs READ on its target (contract 0.4). What is not there, or not in the caller's reach: 400, each named. */
  async resolve(ctx: RequestContext, drafts: readonly LinkDraft[]): Promise<Link[]> {
    if (drafts.length === 0) return [];
    const keys = [...new Set(drafts.map(({ targetKey }) => targetKey))];
    const scopes = [ctx.access.scope('READ', ITEM_TYPE)];
    const found = await this.items.findByKeys(scopes, keys, { withParts: true });
    const byKey = new Map(found.flatMap((item) => [[item._id, item], [item._userItemId, item]] as const));
    const named = [...new Set(drafts.flatMap(({ targetVersionId }) => targetVersionId ?? []))];
    const byVersion = new Map((await this.versions.findMany(named)).map((version) => [version._id, version]));
    const issues = new Issues();
    const links = drafts.flatMap((draft) => toLink(draft, byKey.get(draft.targetKey), { byVersion, scopes }, issues));
    issues.refuse();
    return links;
  }

  /** Versions that must stay while the links are made. */
  targetVersions(links: readonly Link[]): string[] {
    return [...new Set(links.map(({ target }) => target.versionId))];
  }

  /** Makes what is not there yet. An end that does not exist: 400, each named by index. The number of new relations. */
  async add(tx: DocumentTx, place: Place, links: readonly Link[]): Promise<number> {
    if (links.length === 0) return 0;
    await this.requireTargets(tx, links);
    const from = spotOf(place);
    const pairs: Relation[] = links.flatMap(({ fromId, target, toIds }) => toIds.map((id) => toRelation({ ...from, id: fromId }, { ...target, id })));
    return this.relations.add(tx, pairs);
  }

  /** Of these relations those that start at items which the caller may change. */
  async within(tx: DocumentTx, place: Place, ids: readonly string[]): Promise<readonly string[]> {
    if (place.only === undefined) return ids;
    const relations = await this.relations.ofVersion(tx, place.versionId, ids);
    const there = await reachedOf(this.related, tx, place, [...new Set(relations.map(({ fromId }) => fromId))]);
    return relations.filter(({ fromId }) => there.has(fromId)).map(({ _id }) => _id);
  }

  async requireSources(tx: DocumentTx, place: Place, links: readonly Link[]): Promise<void> {
    const there = await reachedOf(this.related, tx, place, links.map(({ fromId }) => fromId));
    const issues = new Issues();
    for (const { at, fromId } of links) if (!there.has(fromId)) issues.add(`${at}._relatedFromId`, `there is no related item ${fromId}`);
    issues.refuse();
  }

  private async requireTargets(tx: DocumentTx, links: readonly Link[]): Promise<void> {
    const issues = new Issues();
    for (const versionId of this.targetVersions(links)) {
      const group = links.filter(({ target }) => target.versionId === versionId);
      const there = await this.related.existing(tx, (group[0] as Link).target, group.flatMap(({ toIds }) => toIds));
      const missing = group.flatMap(({ at, toIds }) => toIds.filter((id) => !there.has(id)).map((id) => ({ at, id })));
      for (const { at, id } of missing) issues.add(`${at}._relatedToIds`, `there is no related item ${id}`);
    }
    issues.refuse();
  }
}

interface Known {
  readonly byVersion: ReadonlyMap<string, VersionRecord>;
  /** What the caller may READ. */
  readonly scopes: readonly NamespaceScope[];
}

function toLink(draft: LinkDraft, item: NamedItem | undefined, { byVersion: versions, scopes }: Known, issues: Issues): Link[] {
  const spot = item && spotInReach(scopes, item, draft.targetVersionId ?? item._tipId);
  if (item === undefined || spot === undefined || !ITEM_CLASSES[item._itemClass].holdsItems) {
    issues.add(`${draft.at}._relatedUserItemDbId`, `there is no collection ${JSON.stringify(draft.targetKey)}`);
    return [];
  }
  const versionId = draft.targetVersionId ?? item._tipId;
  if (versionId !== item._tipId && versions.get(versionId)?._userItemDbId !== item._id) {
    issues.add(`${draft.at}._relatedUserItemVersionId`, `there is no version ${JSON.stringify(versionId)} of ${item._userItemId}`);
    return [];
  }
  return [{ ...draft, target: spot }];
}
