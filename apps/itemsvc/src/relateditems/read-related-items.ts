import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { notFound, type Page, type Paging, type QueryValues, ServiceError, textParameter, toPage } from '@twinyard/conventions';
import type { StoredDocument, TargetedQuery, TextPage } from '@twinyard/documents';
import { JsonText } from '@twinyard/service-kit';
import { ItemAccess, type Place } from '../nameditems/item-access';
import type { VisitedPlace } from '../nameditems/visited-places';
import { parseListQuery } from '../storage/list-query';
import { pageEnd, pageHead } from '../storage/written-page';
import { isShownAsStored, viewOf } from './related-item';
import { RelatedItemsRepository, spotOf } from './related-items.repository';

type Question = (place: VisitedPlace) => TargetedQuery;

/** Lists and single items, as the text that the store gives where nothing in it has to change. */
@Injectable()
export class ReadRelatedItems {
  constructor(
    private readonly access: ItemAccess,
    private readonly related: RelatedItemsRepository,
  ) {}

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<JsonText | Page<StoredDocument>> {
    const wanted = parseListQuery(ctx, query);
    const { place, page } = await this.placeAndPage(ctx, key, wanted.versionId, (spot) => this.related.textQuery(spot, wanted));
    if (!isShownAsStored(place.item)) {
      const { projection, ...rest } = wanted;
      const view = viewOf(place, projection);
      return toPage(await this.related.list(spotOf(place), { ...rest, ...(view.projection && { projection: view.projection }) }), wanted.paging, view.show);
    }
    return pageText(page ?? (await this.related.textPage(this.related.textQuery(spotOf(place), wanted))), wanted.paging);
  }

  async get(ctx: RequestContext, key: string, id: string, query: QueryValues): Promise<JsonText | StoredDocument> {
    const { place, page } = await this.placeAndPage(ctx, key, textParameter(query, 'userItemVersionId') || undefined, (spot) => this.related.textQueryOf(spot, id));
    if (!isShownAsStored(place.item)) {
      const item = await this.related.find(spotOf(place), id);
      if (item === undefined) throw notFound('related item', id);
      return viewOf(place).show(item);
    }
    const { list, count } = page ?? (await this.related.textPage(this.related.textQueryOf(spotOf(place), id)));
    if (count === 0) throw notFound('related item', id);
    return new JsonText(typeof list === 'string' ? list : Buffer.concat(list));
  }

  /** The page is there when the place was known; without it the caller asks for it. */
  private async placeAndPage(ctx: RequestContext, key: string, versionId: string | undefined, question: Question): Promise<{ readonly place: Place; readonly page?: TextPage }> {
    const visited = this.access.visited(ctx, key);
    if (visited !== undefined && (versionId === undefined || versionId === visited.versionId)) {
      try {
        return await this.access.placeWith(ctx, { key, versionId }, visited, question(visited));
      } catch (error) {
        // Whether the collection is there, and for this caller, is said first; then what is wrong with the question.
        const place = await this.access.placeFor(ctx, key, versionId, 'read');
        if (error instanceof ServiceError) throw error;
        return { place };
      }
    }
    return { place: await this.access.placeFor(ctx, key, versionId, 'read') };
  }
}

function pageText({ list, total, count, isCut }: TextPage, { offset, pageSize }: Paging): JsonText {
  const [head, end] = [pageHead({ offset, pageSize: isCut === true ? count : pageSize }, total), pageEnd()];
  return new JsonText(typeof list === 'string' ? head + list + end : Buffer.concat([Buffer.from(head), ...list, Buffer.from(end)]));
}
