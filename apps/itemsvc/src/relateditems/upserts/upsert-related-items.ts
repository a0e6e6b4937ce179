import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { mapInTurns, newObjectId } from '@twinyard/conventions';
import type { DocumentTx } from '@twinyard/documents';
import type { Place } from '../../nameditems/item-access';
import type { ConflictRule } from '../../readings/same-instants';
import { endKey } from '../../relationships/relation';
import { touched } from '../../storage/authorship';
import { Issues } from '../../storage/issues';
import { type Difference, toUpdates } from '../../updatelogs/update-log';
import { UpdateLogsRepository } from '../../updatelogs/update-logs.repository';
import { CollectionWrites, type Effect, type WriteOptions } from '../collection-writes';
import { CreateRelatedItems } from '../create-related-items';
import { isOfIndex } from '../index-faults';
import type { RelatedItem, RelatedItemDraft } from '../related-item';
import { RelatedItemsRepository, spotOf, wholeSpotOf } from '../related-items.repository';
import { NO_EFFECT, sumOf } from '../sum-of-effects';
import { UniqueRules } from '../unique-rules';
import { isChanged, sourceOf, upserted, type UpsertFigures } from './upsert';

export interface Upsert {
  readonly ctx: RequestContext;
  readonly place: Place;
  readonly drafts: readonly RelatedItemDraft[];
  readonly rule: ConflictRule;
}

type Changed = Difference & { readonly before: RelatedItem; readonly after: RelatedItem };

/**
 * Makes items, and changes those whose `_sourceId` the collection version has already; all of a request or none. Who has which is asked under the lock of
 * the version that every write takes, so of two that bring the same key at once one makes the item and the other changes it.
 */
@Injectable()
export class UpsertRelatedItems {
  constructor(
    private readonly writes: CollectionWrites,
    private readonly related: RelatedItemsRepository,
    private readonly creation: CreateRelatedItems,
    private readonly rules: UniqueRules,
    private readonly logs: UpdateLogsRepository,
  ) {}

  async run(upsert: Upsert, finish?: WriteOptions<UpsertFigures>['finish']): Promise<UpsertFigures> {
    const { ctx, place } = upsert;
    const at = Date.now();
    try {
      return await this.writes.run(ctx.origin, place, (tx) => this.write(tx, upsert, at), { finish });
    } catch (error) {
      if (!isOfIndex(error)) throw error;
      return this.rules.indexes.named({ place, drafts: upsert.drafts, items: await this.asTheyWouldBe(upsert) }, () => Promise.reject(error));
    }
  }

  private async write(tx: DocumentTx, upsert: Upsert, at: number): Promise<Effect<UpsertFigures>> {
    const { ctx, place, drafts, rule } = upsert;
    const holders = await this.holdersOf(tx, place, drafts);
    const made = drafts.filter((draft) => !holders.has(sourceOf(draft)));
    const known = new Map(drafts.flatMap((draft) => (holders.has(sourceOf(draft)) ? [[holders.get(sourceOf(draft)) as string, draft] as const] : [])));
    const changed = rule === 'keep' ? NO_EFFECT : await this.change(tx, { ...upsert, rule }, known, at);
    const created = made.length === 0 ? NO_EFFECT : await (await this.creation.prepare(ctx, place, made)).write(tx);
    const count = changed.items?.changed ?? 0;
    const kept = rule === 'keep' ? known.size : 0;
    return { ...sumOf(created, changed), answer: { _new: made.length, _changed: count, _unchanged: known.size - count - kept, _kept: kept } };
  }

  /** The id of the item that has each key, where there is one. Several of them: 400, since nobody knows which is meant. */
  private async holdersOf(tx: DocumentTx | undefined, place: Place, drafts: readonly RelatedItemDraft[]): Promise<ReadonlyMap<string, string>> {
    const holders = await this.related.holdersOf(tx, wholeSpotOf(place), drafts.map(sourceOf));
    const issues = new Issues();
    for (const draft of drafts) {
      if ((holders.get(sourceOf(draft))?.length ?? 0) > 1) issues.add(`${draft.at}._sourceId`, 'several items of the collection have it');
    }
    issues.refuse();
    return new Map([...holders].map(([key, [id]]) => [key, id as string]));
  }

  /** What is there already as it was sent is not written, and nothing is told of it. No more is held than the store gives at once. */
  private async change(tx: DocumentTx, upsert: Upsert & { readonly rule: Exclude<ConflictRule, 'keep'> }, known: ReadonlyMap<string, RelatedItemDraft>, at: number): Promise<Effect<undefined>> {
    const { ctx, place } = upsert;
    const ids: string[] = [];
    let growth = 0;
    for await (const some of this.related.stored(tx, spotOf(place), [...known.keys()])) {
      const changes = (await mapInTurns(some, (old) => changeOf(upsert, old, known.get(old._id) as RelatedItemDraft, at))).filter(({ before, after }) => isChanged(before, after));
      if (changes.length === 0) continue;
      const { bytes, replacedBytes } = await this.related.replaceMany(tx, spotOf(place), changes.map(({ after }) => after));
      await this.logs.addOfRelatedItems(tx, spotOf(place), toUpdates(ctx, at, changes));
      for (const { after } of changes) ids.push(after._id);
      growth += bytes - replacedBytes;
    }
    if (ids.length === 0) return NO_EFFECT;
    return { answer: undefined, items: { verb: 'updated', changed: ids.length, ids, growth: { count: 0, bytes: growth } } };
  }

  /** For who is to be told which of them break a rule: the store says no more than that one does. */
  private async asTheyWouldBe({ ctx, place, drafts, rule }: Upsert): Promise<readonly RelatedItem[]> {
    const holders = await this.holdersOf(undefined, place, drafts);
    const stored = new Map((await this.related.among(spotOf(place), [...holders.values()], undefined)).map((item) => [item._id, item as RelatedItem]));
    return drafts.map((draft) => {
      const old = stored.get(holders.get(sourceOf(draft)) ?? '');
      if (old === undefined) return { ...draft.properties, _id: newObjectId() } as RelatedItem;
      return rule === 'keep' ? old : changeOf({ ctx, place, drafts, rule }, old, draft, 0).after;
    });
  }
}

function changeOf({ ctx, place, rule }: Upsert & { readonly rule: Exclude<ConflictRule, 'keep'> }, old: RelatedItem, draft: RelatedItemDraft, at: number): Changed {
  const after = upserted(rule, draft, old, touched(old._metadata, ctx, at));
  return { of: endKey(place.versionId, old._id), version: place.versionId, before: old, after };
}
