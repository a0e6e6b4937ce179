import { Injectable } from '@nestjs/common';
import { keptWith, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import type { DocumentTx, JsonObject } from '@twinyard/documents';
import type { Place } from '../nameditems/item-access';
import { RelationsRepository } from '../relationships/relations.repository';
import { UpdateLogsRepository } from '../updatelogs/update-logs.repository';
import { CollectionWrites, type Effect, weightOf, type WriteOptions } from './collection-writes';
import { reachedOf, requireNoneLeft } from './part-rule';
import { RelatedItemsRepository, spotOf } from './related-items.repository';
import { sumOf } from './sum-of-effects';

/** Deletes related items with their readings and the relations from and to them. */
@Injectable()
export class RemoveRelatedItems {
  constructor(
    private readonly writes: CollectionWrites,
    private readonly related: RelatedItemsRepository,
    private readonly relations: RelationsRepository,
    private readonly logs: UpdateLogsRepository,
  ) {}

  async one(ctx: RequestContext, place: Place, id: string): Promise<void> {
    await this.writes.run(ctx.origin, place, async (tx) => {
      if (!(await reachedOf(this.related, tx, place, [id])).has(id)) throw notFound('related item', id);
      return this.remove(tx, ctx, place, [id]);
    }, { weight: weightOf([id]), lastOf: ctx, finish: keptWith(ctx, () => NO_CONTENT) });
  }

  /** Ids that are not there are passed over. */
  async many(ctx: RequestContext, place: Place, ids: readonly string[]): Promise<void> {
    const work = async (tx: DocumentTx) => this.remove(tx, ctx, place, [...(await reachedOf(this.related, tx, place, ids))]);
    await this.writes.run(ctx.origin, place, work, { weight: weightOf(ids), lastOf: ctx, finish: keptWith(ctx, () => NO_CONTENT) });
  }

  async matching(ctx: RequestContext, place: Place, filter: JsonObject, finish?: WriteOptions<undefined>['finish'], onRemoved?: (count: number) => void): Promise<void> {
    const work = async (tx: DocumentTx) => {
      let effect = await this.remove(tx, ctx, place, []);
      for (;;) {
        const ids = await this.related.matching(tx, spotOf(place), filter);
        if (ids.length === 0) break;
        effect = sumOf(effect, await this.remove(tx, ctx, place, ids));
        onRemoved?.(effect.items?.changed ?? 0);
      }
      await requireNoneLeft(this.related, tx, place, filter);
      return effect;
    };
    await this.writes.run(ctx.origin, place, work, { finish });
  }

  private async remove(tx: DocumentTx, ctx: RequestContext, place: Place, ids: readonly string[]): Promise<Effect<undefined>> {
    const spot = spotOf(place);
    const gone = await this.related.removeMany(tx, spot, ids);
    const isTelemetry = place.item._itemClass === 'NamedTelemetryCollection';
    const readings = isTelemetry ? await this.related.removeReadings(tx, spot, ids) : { count: 0, bytes: 0 };
    if (ids.length > 0 && (await this.relations.anyAt(tx, place.versionId))) await this.relations.removeOfItems(tx, place.versionId, ids);
    await this.logs.replaceByDeletions(tx, ctx, place.versionId, ids);
    return {
      answer: undefined,
      items: { verb: 'deleted', changed: gone.count, ids, growth: { count: -gone.count, bytes: -gone.bytes } },
      readings: { verb: 'deleted', changed: readings.count, growth: { count: -readings.count, bytes: -readings.bytes } },
    };
  }
}
