import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalid, type Page, type QueryValues, textParameter, toWholePage } from '@twinyard/conventions';
import type { StoredDocument } from '@twinyard/documents';
import { JsonText } from '@twinyard/service-kit';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { Use } from '../nameditems/item-reach';
import { requireArray } from '../storage/issues';
import { CreateRelatedItems } from './create-related-items';
import { isShownAsStored, viewOf, type MadeItems } from './related-item';
import { parseRelatedItem, parseRelatedItems } from './related-item.parse';
import { ReadRelatedItems } from './read-related-items';
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
  ) {}

  list(ctx: RequestContext, key: string, query: QueryValues): Promise<JsonText | Page<StoredDocument>> {
    return this.reading.list(ctx, key, query);
  }

  get(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<JsonText | StoredDocument> {
    return this.reading.get(ctx, key, id, query);
  }

  async create(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<JsonText | Page<StoredDocument>> {
    const place = await this.place(ctx, key, query, 'add');
    const made = await this.creation.run(ctx, place, parseRelatedItems(body, place.item._itemClass, 'create'));
    return toMadePage(place, made);
  }

  async replace(ctx: RequestContext, key: string, query: QueryValues, body: unknown): Promise<Page<StoredDocument>> {
    const place = await this.place(ctx, key, query, 'change');
    const items = await this.replacement.run(ctx, place, parseRelatedItems(body, place.item._itemClass, 'replace'));
    return toWrittenPage(place, items);
  }

  async replaceOne(ctx: RequestContext, key: string, id: string, request: { readonly query: QueryValues; readonly body: unknown }): Promise<StoredDocument> {
    const place = await this.place(ctx, key, request.query, 'change');
    const [item] = await this.replacement.run(ctx, place, [parseRelatedItem(request.body, id, place.item._itemClass)]);
    return viewOf(place).show(item as StoredDocument);
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

/** The page of what a write made or changed, in the order of the request. */
export const toWrittenPage = (place: Place, items: readonly StoredDocument[]): Page<StoredDocument> => ({
  ...toWholePage(items.map(viewOf(place).show)), _includeTotal: true,
});

/** The same as text, where that is at hand. */
export function toMadePage(place: Place, { items, list }: MadeItems): JsonText | Page<StoredDocument> {
  if (list === undefined || !isShownAsStored(place.item)) return toWrittenPage(place, items);
  const head = `{"_offset":0,"_pageSize":${items.length},"_total":${items.length},"_list":[`;
  const parts = list.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return new JsonText(Buffer.concat([Buffer.from(head), ...parts, END_OF_PAGE]));
}

const COMMA = Buffer.from(',');
const END_OF_PAGE = Buffer.from('],"_includeTotal":true}');

function parseIds(body: unknown): string[] {
  const ids = requireArray(body);
  const issues = ids.flatMap((id, index) => (typeof id === 'string' ? [] : [{ field: `[${index}]`, issue: 'must be the id of a related item' }]));
  if (issues.length > 0) throw invalid(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '), issues);
  return ids as string[];
}
