import { Injectable, type OnModuleInit } from '@nestjs/common';
import { keepingAnswer, keptWith, LaterWork, NO_CONTENT, type Outcome, type OwnAnswer, type RequestContext } from '@twinyard/auth';
import { invalidField, parseObjectParameter, type QueryValues, textParameter } from '@twinyard/conventions';
import type { DocumentTx, JsonObject } from '@twinyard/documents';
import type { FinishRequest, ReportProgress } from '@twinyard/jobs';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { Use } from '../nameditems/item-reach';
import type { ItemClass } from '../nameditems/named-item';
import { CreateRelatedItems } from './create-related-items';
import type { MadeItems, RelatedItem, RelatedItemDraft } from './related-item';
import { parseRelatedItems } from './related-item.parse';
import { RelatedItemsRepository, spotOf } from './related-items.repository';
import { toChangedPage, toMadePage } from './related-items.service';
import { RemoveRelatedItems } from './remove-related-items';
import { ReplaceRelatedItems } from './replace-related-items';

/** Contract 2.3: up to here a bulk is answered at once, above it with 202. */
export const AT_ONCE = 1_000;

const KINDS = { create: 'relateditems.create', replace: 'relateditems.replace', remove: 'relateditems.remove' } as const;

interface StoredBulk {
  readonly itemId: string;
  readonly versionId: string;
  readonly body: unknown;
  /** How many items it is about. */
  readonly total?: number;
}

/** What a body was read as, for the process that accepted it. */
interface ReadBody {
  readonly itemClass: ItemClass;
  readonly drafts: RelatedItemDraft[];
}

const storedAt = ({ item, versionId }: Place) => ({ itemId: item._id, versionId });

/** Bulk operations: checked at once, so that faults in the request are 400 and never a failed request later. */
@Injectable()
export class BulkRelatedItemsService implements OnModuleInit {
  /** By the bodies that were handed over. */
  private readonly read = new WeakMap<object, ReadBody>();

  constructor(
    private readonly access: ItemAccess,
    private readonly related: RelatedItemsRepository,
    private readonly creation: CreateRelatedItems,
    private readonly replacement: ReplaceRelatedItems,
    private readonly removal: RemoveRelatedItems,
    private readonly later: LaterWork,
  ) {}

  onModuleInit(): void {
    this.later.register<StoredBulk>(KINDS.create, (ctx, bulk, finish, report) => this.createLater(ctx, bulk, finish, report));
    this.later.register<StoredBulk>(KINDS.replace, (ctx, bulk, finish, report) => this.replaceLater(ctx, bulk, finish, report));
    this.later.register<StoredBulk>(KINDS.remove, (ctx, bulk, finish, report) => this.removeLater(ctx, bulk, finish, report));
  }

  async create(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<Outcome> {
    const place = await this.place(ctx, key, query, 'add');
    const drafts = await parseRelatedItems(body, place.item._itemClass, 'bulk');
    if (drafts.length > AT_ONCE) return this.accept(ctx, KINDS.create, place, { body, drafts });
    const answer = async (made: MadeItems): Promise<OwnAnswer> => ({ status: 201, body: await toMadePage(place, made, this.related.answerBytes) });
    return keepingAnswer(ctx, answer, (keep) => this.creation.run(ctx, place, drafts, keep));
  }

  async replace(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<Outcome> {
    const place = await this.place(ctx, key, query, 'change');
    const drafts = await parseRelatedItems(body, place.item._itemClass, 'replace');
    if (drafts.length > AT_ONCE) return this.accept(ctx, KINDS.replace, place, { body, drafts });
    const answer = async (items: readonly RelatedItem[]): Promise<OwnAnswer> => ({ status: 200, body: await toChangedPage(place, items, this.related.answerBytes) });
    return keepingAnswer(ctx, answer, (keep) => this.replacement.run(ctx, place, drafts, keep));
  }

  async remove(ctx: RequestContext, key: string, query: QueryValues): Promise<Outcome> {
    const filter = parseObjectParameter(query, 'query');
    const place = await this.place(ctx, key, query, 'remove');
    if (filter === undefined) throw invalidField('query', 'is required');
    const total = await this.related.count(spotOf(place), filter);
    if (total > AT_ONCE) return this.acceptWork(ctx, KINDS.remove, place, { body: filter, total });
    await this.removal.matching(ctx, place, filter, keptWith(ctx, () => NO_CONTENT));
    return NO_CONTENT;
  }

  private async createLater(ctx: RequestContext, bulk: StoredBulk, finish: FinishRequest, report: ReportProgress): Promise<void> {
    const { place, drafts } = await this.resume(ctx, bulk, 'bulk', 'add');
    const finished = async (tx: DocumentTx, made: MadeItems) => finish(tx, { status: 201, body: await toMadePage(place, made, this.related.answerBytes) });
    await this.creation.run(ctx, place, drafts, finished, (done) => report({ done, total: drafts.length }));
  }

  private async replaceLater(ctx: RequestContext, bulk: StoredBulk, finish: FinishRequest, report: ReportProgress): Promise<void> {
    const { place, drafts } = await this.resume(ctx, bulk, 'replace', 'change');
    await this.replacement.run(ctx, place, drafts, async (tx, items) => {
      report({ done: drafts.length, total: drafts.length });
      return finish(tx, { status: 200, body: await toChangedPage(place, items, this.related.answerBytes) });
    });
  }

  private async removeLater(ctx: RequestContext, { itemId, versionId, body, total = 0 }: StoredBulk, finish: FinishRequest, report: ReportProgress): Promise<void> {
    const place = await this.access.placeFor(ctx, itemId, versionId, 'remove');
    await this.removal.matching(ctx, place, body as JsonObject, (tx) => finish(tx, NO_CONTENT), (done) => report({ done, total: Math.max(done, total) }));
  }

  private async resume(ctx: RequestContext, { itemId, versionId, body }: StoredBulk, kind: 'bulk' | 'replace', use: Use): Promise<{ readonly place: Place; readonly drafts: RelatedItemDraft[] }> {
    const place = await this.access.placeFor(ctx, itemId, versionId, use);
    const known = this.read.get(body as object);
    return { place, drafts: known?.itemClass === place.item._itemClass ? known.drafts : await parseRelatedItems(body, place.item._itemClass, kind) };
  }

  private accept(ctx: RequestContext, kind: string, place: Place, { body, drafts }: { readonly body: unknown; readonly drafts: RelatedItemDraft[] }): Promise<Outcome> {
    this.read.set(body as object, { itemClass: place.item._itemClass, drafts });
    return this.acceptWork(ctx, kind, place, { body, total: drafts.length });
  }

  private acceptWork(ctx: RequestContext, kind: string, place: Place, work: { readonly body: unknown; readonly total: number }): Promise<Outcome> {
    const payload: StoredBulk = { ...storedAt(place), ...work };
    return this.later.accept(ctx, kind, payload, { progress: { done: 0, total: work.total }, confidential: place.item._encryptionEnabled === true, handedOver: true });
  }

  private place(ctx: RequestContext, key: string, query: QueryValues, use: Use): Promise<Place> {
    return this.access.placeFor(ctx, key, textParameter(query, 'userItemVersionId') || undefined, use);
  }
}
