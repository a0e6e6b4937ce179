import { Injectable, type OnModuleInit } from '@nestjs/common';
import { keepingAnswer, LaterWork, type Outcome, type OwnAnswer, type RequestContext } from '@twinyard/auth';
import { type QueryValues, textParameter } from '@twinyard/conventions';
import type { FinishRequest, ReportProgress } from '@twinyard/jobs';
import { ItemAccess, type Place } from '../../nameditems/item-access';
import { targetOf } from '../../nameditems/named-item';
import type { ConflictRule } from '../../readings/same-instants';
import { AT_ONCE } from '../bulk-related-items.service';
import type { RelatedItemDraft } from '../related-item';
import { parseRelatedItems } from '../related-item.parse';
import { requireSources, type UpsertFigures } from './upsert';
import { UpsertRelatedItems } from './upsert-related-items';

const KIND = 'relateditems.upsert';

interface StoredUpsert {
  readonly itemId: string;
  readonly versionId: string;
  readonly body: unknown;
  readonly rule: ConflictRule;
}

/** `PUT …/relateditems/bulk?by=_sourceId`: checked at once, and done at once where it is not too much. */
@Injectable()
export class BulkUpsertsService implements OnModuleInit {
  constructor(
    private readonly access: ItemAccess,
    private readonly upserts: UpsertRelatedItems,
    private readonly later: LaterWork,
  ) {}

  onModuleInit(): void {
    this.later.register<StoredUpsert>(KIND, (ctx, upsert, finish, report) => this.upsertLater(ctx, upsert, finish, report));
  }

  async upsert(ctx: RequestContext, key: string, rule: ConflictRule, { query, body }: { readonly query: QueryValues; readonly body: unknown }): Promise<Outcome> {
    const place = await this.place(ctx, key, textParameter(query, 'userItemVersionId') || undefined);
    const drafts = await parse(place, body);
    const answer = (figures: UpsertFigures): OwnAnswer => ({ status: 200, body: figures });
    if (drafts.length <= AT_ONCE) return keepingAnswer(ctx, answer, (keep) => this.upserts.run({ ctx, place, drafts, rule }, keep));
    const stored: StoredUpsert = { itemId: place.item._id, versionId: place.versionId, body, rule };
    return this.later.accept(ctx, KIND, stored, { progress: { done: 0, total: drafts.length }, confidential: place.item._encryptionEnabled === true, handedOver: true });
  }

  private async upsertLater(ctx: RequestContext, { itemId, versionId, body, rule }: StoredUpsert, finish: FinishRequest, report: ReportProgress): Promise<void> {
    const place = await this.place(ctx, itemId, versionId);
    const drafts = await parse(place, body);
    await this.upserts.run({ ctx, place, drafts, rule }, async (tx, figures) => {
      report({ done: drafts.length, total: drafts.length });
      return finish(tx, { status: 200, body: figures });
    });
  }

  /** Contract 0.4: EDIT on the collection covers making and changing. A grant on some of its items covers one action alone. */
  private async place(ctx: RequestContext, key: string, versionId: string | undefined): Promise<Place> {
    const place = await this.access.placeFor(ctx, key, versionId, 'change');
    if (place.only !== undefined) throw ctx.access.denial(['EDIT'], targetOf(place.item));
    return place;
  }
}

async function parse({ item }: Place, body: unknown): Promise<RelatedItemDraft[]> {
  const drafts = await parseRelatedItems(body, item._itemClass, 'bulk');
  requireSources(drafts);
  return drafts;
}
