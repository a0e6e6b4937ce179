import { Injectable } from '@nestjs/common';
import { type NamespaceScope, type RequestContext } from '@twinyard/auth';
import { parsePaging, type QueryValues, toPage } from '@twinyard/conventions';
import type { JsonObject, StoredDocument } from '@twinyard/documents';
import type { JsonText } from '@twinyard/service-kit';
import { reachOf } from '../nameditems/item-reach';
import { HOLDING_ITEMS, ITEM_TYPE, type NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { RelatedItemsRepository, type Spot, spotInReach } from '../relateditems/related-items.repository';
import { PAGE_BOUNDS } from '../storage/list-query';
import { isObject } from '../storage/filters';
import { FindRelated } from './find-with-related';
import { FindRelatedGraph, mergeReferenced, type ReferencedItems } from './find-graph';
import { withId } from '../storage/projected-ids';
import { arrayOf, type JsonPieces, objectOf } from './json-pieces';
import { parseSearch } from './search.parse';
import type { DistinctFields, SearchRequest } from './search-request';

@Injectable()
export class SearchService {
  constructor(
    private readonly items: NamedItemsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly findRelated: FindRelated,
    private readonly findGraph: FindRelatedGraph,
  ) {}

  /** A page of the collections that the description selects, each with the answer under its versions (contract 2.6). */
  async search(ctx: RequestContext, query: QueryValues, body: unknown): Promise<JsonText> {
    const scope = ctx.access.scope('READ', ITEM_TYPE);
    const paging = parsePaging(query, PAGE_BOUNDS);
    const request = parseSearch(body);
    const filter: JsonObject = { $and: [request.collections, { _itemClass: { $in: HOLDING_ITEMS } }] };
    const found = await this.items.list(scope, { tenant: scope.tenant, filter, paging }, { withParts: true });
    const collections = found.rows as readonly NamedItem[];
    const views = await this.views(scope, request, collections);
    const rows: SearchRow[] = [];
    for (const item of collections) rows.push({ ...seenOf(scope, item, views.get(item._id) ?? {}), _versions: await this.versions(scope, request, item) });
    const page = toPage<Record<string, unknown>, Record<string, unknown>>({ ...found, rows }, paging, (row) => row);
    return objectOf({ ...page, _list: arrayOf(rows.map(rowJson)), ...(request.operator === '$findWithRelatedGraph' && { _referencedItems: referencedIn(rows) }) }).textWithin(this.related.answerBytes);
  }

  private async versions(scope: NamespaceScope, request: SearchRequest, item: NamedItem): Promise<Record<string, unknown>[]> {
    const wanted = request.collections['_versions._version'];
    const versions = wanted === undefined ? item._versions : item._versions.filter(({ _version }) => isNamed(wanted, _version));
    const answers = [];
    for (const version of versions) {
      const spot = spotInReach([scope], item, version._id);
      if (spot !== undefined) answers.push({ ...seenVersionOf(spot, version), ...(await this.answer(scope, request, spot)) });
    }
    return answers;
  }

  private answer(scope: NamespaceScope, request: SearchRequest, spot: Spot): Promise<Record<string, unknown>> {
    if (request.operator === '$findWithRelatedGraph') return this.findGraph.run(scope, spot, request);
    return request.operator === '$findWithRelated' ? this.findRelated.run(scope, spot, request) : this.distinct(spot, request);
  }

  private async distinct(spot: Spot, { fields }: DistinctFields): Promise<Record<string, unknown>> {
    const entries: [string, unknown][] = [];
    for (const { field, query, count } of fields) {
      const values = await this.related.distinct(spot, field, query);
      entries.push([field, count ? values.map(({ value, count: times }) => ({ value, count: times })) : values.map(({ value }) => value)]);
    }
    return { _relatedItems: Object.fromEntries(entries) };
  }

  /** The collections as the caller wants to see them; `_versions` come from the search itself. */
  private async views(scope: NamespaceScope, { collectionProjection }: SearchRequest, collections: readonly NamedItem[]): Promise<ReadonlyMap<string, StoredDocument>> {
    if (collectionProjection === undefined || collections.length === 0) return new Map(collections.map((item) => [item._id, item]));
    const filter: JsonObject = { _id: { $in: collections.map(({ _id }) => _id) } };
    const { rows } = await this.items.list(scope, { tenant: scope.tenant, filter, projection: withId(collectionProjection) ?? {}, paging: { offset: 0, pageSize: collections.length } }, { withParts: true });
    return new Map(rows.map((row) => [row._id, row]));
  }
}

/** What tells a collection from others: who may READ some of its items only learns no more of it (as relationships tell of the other end). */
const IDENTIFYING = ['_id', '_userItemId', '_uri', '_irn', '_userType', '_itemClass', '_kind', '_namespaces', '_tipId', '_tipVersion'] as const;
const IDENTIFYING_OF_VERSION = ['_id', '_userItemDbId', '_version', '_isTip'] as const;

const seenOf = (scope: NamespaceScope, item: NamedItem, view: JsonObject): JsonObject => (reachOf([scope], item) === 'all' ? view : pick(view, IDENTIFYING));
const seenVersionOf = ({ only }: Spot, version: JsonObject): JsonObject => (only === undefined ? version : pick(version, IDENTIFYING_OF_VERSION));
const pick = (source: JsonObject, names: readonly string[]): JsonObject => Object.fromEntries(names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]]));

interface SearchRow extends Record<string, unknown> {
  readonly _versions: readonly Record<string, unknown>[];
}

/** What was found of items is text already. */
const rowJson = ({ _versions, ...row }: SearchRow): JsonPieces => objectOf({ ...row, _versions: arrayOf(_versions.map(objectOf)) });

/** Contract 2.6: the bodies stand beside `_list` of the answer too. */
const referencedIn = (rows: readonly SearchRow[]): ReferencedItems =>
  mergeReferenced(rows.flatMap(({ _versions }) => _versions.map(({ _relatedItems }) => (_relatedItems as { _referencedItems: ReferencedItems })._referencedItems)));

/** `_versions._version`: a number or, from an array, `{ $in }`. */
const isNamed = (wanted: unknown, version: number) => wanted === version || (isObject(wanted) && Array.isArray(wanted['$in']) && wanted['$in'].includes(version));
