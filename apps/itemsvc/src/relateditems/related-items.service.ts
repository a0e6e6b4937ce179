import { Injectable } from '@nestjs/common';
import { keepingBody, type RequestContext } from '@twinyard/auth';
import { invalidFields, type Page, type QueryValues, textParameter } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import { JsonText } from '@twinyard/service-kit';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { Use } from '../nameditems/item-reach';
import { requireArray } from '../storage/issues';
import { CreateRelatedItems } from './create-related-items';
import { isShownAsStored, viewOf, type MadeItems, type RelatedItem } from './related-item';
import { parseRelatedItem, parseRelatedItems } from './related-item.parse';
import { pageEnd, pageHead, toWrittenPage } from '../storage/written-page';
import { firstOfLists } from './list-parts';
import { ReadRelatedItems } from './read-related-items';
import { RelatedItemsRepository } from './related-items.repository';
import { RemoveRelatedItems } from './remove-related-items';
import { ReplaceRelatedItems } from './replace-related-items';

@Injectable()
export class RelatedItemsService {
  constructor(
    private readonly access: ItemAccess,
    private readonly reading: ReadRelatedItems,
    private readonly creation: CreateRelatedItems,
    private readonly replacement: ReplaceRelatedItems,
    private readonly removal: RemoveRelatedItems,
    private readonly related: RelatedItemsRepository,
  ) {}

  list(ctx: RequestContext, key: string, query: QueryValues): Promise<JsonText | Page<StoredDocument>> {
    return this.reading.list(ctx, key, query);
  }

  get(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<JsonText | StoredDocument> {
    return this.reading.get(ctx, key, id, query);
  }

  async create(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<JsonText> {
    const place = await this.place(ctx, key, query, 'add');
    const drafts = await parseRelatedItems(body, place.item._itemClass, 'create');
    return keepingBody(ctx, 201, (made: MadeItems) => toMadePage(place, made, this.related.answerBytes), (keep) => this.creation.run(ctx, place, drafts, keep));
  }

  async replace(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<JsonText> {
    const place = await this.place(ctx, key, query, 'change');
    const drafts = await parseRelatedItems(body, place.item._itemClass, 'replace');
    return keepingBody(ctx, 200, (items: readonly RelatedItem[]) => toChangedPage(place, items, this.related.answerBytes), (keep) => this.replacement.run(ctx, place, drafts, keep));
  }

  async replaceOne(ctx: RequestContext, key: string, id: string, request: { readonly query: QueryValues; readonly body: unknown }): Promise<StoredDocument> {
    const place = await this.place(ctx, key, request.query, 'change');
    const draft = parseRelatedItem(request.body, id, place.item._itemClass);
    return keepingBody(ctx, 200, ([item]: readonly RelatedItem[]) => viewOf(place).show(item as StoredDocument), (keep) => this.replacement.run(ctx, place, [draft], keep));
  }

  async removeOne(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<void> {
    await this.removal.one(ctx, await this.place(ctx, key, query, 'remove'), id);
  }

  async removeMany(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<void> {
    const place = await this.place(ctx, key, query, 'remove');
    await this.removal.many(ctx, place, parseIds(body));
  }

  private place(ctx: RequestContext, key: string, query: QueryValues, use: Use): Promise<Place> {
    return this.access.placeFor(ctx, key, textParameter(query, 'userItemVersionId') || undefined, use);
  }
}

const END = { _includeTotal: true };

/** The page of what a write changed. */
export const toChangedPage = (place: Place, items: readonly StoredDocument[], mostBytes: number): Promise<JsonText> => toWrittenPage(items, viewOf(place).show, mostBytes, END);

/** The page of what a write made, of its text where that is at hand. A bulk of tiny items would be answered with far more than it was sent as. */
export async function toMadePage(place: Place, { items, lists }: MadeItems, mostBytes: number): Promise<JsonText> {
  if (lists === undefined || !isShownAsStored(place.item)) return toChangedPage(place, items, mostBytes);
  const first = firstOfLists(lists, mostBytes);
  const parts = first.lists.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return new JsonText(Buffer.concat([Buffer.from(pageHead({ offset: 0, pageSize: first.count }, items.length)), ...parts, Buffer.from(pageEnd(END))]));
}

const COMMA = Buffer.from(',');

function parseIds(body: unknown): string[] {
  const ids = requireArray(body);
  const issues = ids.flatMap((id, index) => (typeof id === 'string' ? [] : [{ field: `[${index}]`, issue: 'must be the id of a related item' }]));
  if (issues.length > 0) throw invalidFields(issues);
  return ids as string[];
}
