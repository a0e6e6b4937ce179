import { Injectable, type OnModuleInit } from '@nestjs/common';
import { keptWith, LaterWork, NO_CONTENT, type Outcome, type RequestContext } from '@twinyard/auth';
import { type QueryValues, textParameter } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { FinishRequest } from '@twinyard/jobs';
import { ItemAccess, type Place } from '../nameditems/item-access';
import { AT_ONCE } from '../relateditems/bulk-related-items.service';
import { CollectionWrites, weightOf } from '../relateditems/collection-writes';
import { spotOf } from '../relateditems/related-items.repository';
import { type Relation, toRelation } from './relation';
import { type Link, type LinkDraft, pairsIn, RelationLinks } from './relation-links';
import { RelationsRepository } from './relations.repository';
import { parseRelationships, parseRelationsToRemove } from './relationship.parse';

const KIND = 'relationships.put';

interface StoredLinks {
  readonly itemId: string;
  readonly versionId: string;
  readonly body: unknown;
}

/** Makes and removes relations, all of a request or none. */
@Injectable()
export class WriteRelationships implements OnModuleInit {
  constructor(
    private readonly access: ItemAccess,
    private readonly relations: RelationsRepository,
    private readonly links: RelationLinks,
    private readonly writes: CollectionWrites,
    private readonly later: LaterWork,
  ) {}

  onModuleInit(): void {
    this.later.register<StoredLinks>(KIND, async (ctx, { itemId, versionId, body }, finish, report) => {
      const place = await this.access.placeFor(ctx, itemId, versionId, 'change');
      const drafts = await parseRelationships(body);
      const total = pairsIn(drafts);
      await this.link(ctx, place, drafts, (...end) => {
        report({ done: total, total });
        return finish(...end);
      });
    });
  }

  async put(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<void> {
    const place = await this.place(ctx, key, query);
    await this.link(ctx, place, await parseRelationships(body));
  }

  async putMany(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<Outcome> {
    const place = await this.place(ctx, key, query);
    const drafts = await parseRelationships(body);
    const total = pairsIn(drafts);
    const stored: StoredLinks = { itemId: place.item._id, versionId: place.versionId, body };
    if (total > AT_ONCE) return this.later.accept(ctx, KIND, stored, { progress: { done: 0, total } });
    await this.link(ctx, place, drafts);
    return NO_CONTENT;
  }

  /** Unknown ones are passed over. */
  async remove(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<void> {
    const place = await this.place(ctx, key, query);
    const { ids, records } = parseRelationsToRemove(body);
    const links = await this.links.resolve(ctx, records);
    const named = links.flatMap((link) => pairsOf(place, link)).map(({ _id }) => _id);
    const unique = [...new Set([...ids, ...named])];
    const work = async (tx: DocumentTx) => changed(await this.relations.removeByIds(tx, place.item._id, await this.links.within(tx, place, unique)));
    await this.writes.run(ctx.origin, place, work, { weight: weightOf(unique), lastOf: ctx, finish: keptWith(ctx, () => NO_CONTENT) });
  }

  private async link(ctx: RequestContext, place: Place, drafts: readonly LinkDraft[], finish?: FinishRequest): Promise<void> {
    const links = await this.links.resolve(ctx, drafts);
    const work = async (tx: DocumentTx) => {
      await this.links.requireSources(tx, place, links);
      return changed(await this.links.add(tx, place, links));
    };
    await this.writes.run(ctx.origin, place, work, {
      alsoLock: this.links.targetVersions(links),
      weight: weightOf(drafts, pairsIn(drafts)),
      lastOf: ctx,
      finish: finish ? (tx) => finish(tx, NO_CONTENT) : keptWith(ctx, () => NO_CONTENT),
    });
  }

  private place(ctx: RequestContext, key: string, query: QueryValues): Promise<Place> {
    return this.access.placeFor(ctx, key, textParameter(query, 'userItemVersionId') || undefined, 'change');
  }
}

/** The collection's content is as big as before; its readers are told that relations changed. */
const changed = (count: number) => ({ answer: undefined, items: { verb: 'updated' as const, changed: count, growth: { count: 0, bytes: 0 } } });

const pairsOf = (place: Place, { fromId, target, toIds }: Link): Relation[] =>
  toIds.map((id) => toRelation({ ...spotOf(place), id: fromId }, { ...target, id }));
