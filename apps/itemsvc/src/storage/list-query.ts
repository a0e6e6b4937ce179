import { type RequestContext, tenantOf } from '@twinyard/auth';
import { type Paging, parseObjectParameter, parsePaging, type QueryValues, type Slice, textParameter } from '@twinyard/conventions';
import { type CollectionRef, documentsIn, type DocumentStore, type JsonObject, type LinkCondition, type ParsedFilter, type StoredDocument, type TargetedQuery } from '@twinyard/documents';
import { isObject } from './filters';
import { without } from './projected-ids';

/** Contract 0.1: all of itemsvc up to 5,000. */
export const PAGE_BOUNDS = { defaultSize: 25, maxSize: 5_000 };

/** The parameters that list operations share (specification 2), as the caller sent them. */
export interface ListQuery {
  /** Who asks: each waits in a line of its own for pages that weigh much. */
  readonly tenant: string;
  readonly filter?: JsonObject;
  readonly projection?: JsonObject;
  readonly sort?: JsonObject;
  readonly paging: Paging;
  readonly versionId?: string;
}

export function parseListQuery(ctx: RequestContext, query: QueryValues): ListQuery {
  const filter = parseObjectParameter(query, 'query');
  const projection = parseObjectParameter(query, 'project');
  const sort = parseObjectParameter(query, 'sort');
  const versionId = textParameter(query, 'userItemVersionId');
  return {
    tenant: tenantOf(ctx),
    paging: parsePaging(query, PAGE_BOUNDS),
    ...(filter && { filter }),
    ...(projection && { projection }),
    ...(sort && { sort }),
    ...(versionId && { versionId }),
  };
}

const ALL_VERSIONS = '_versions.all';

/** Takes the service's own switch out of a filter: `"_versions.all": true` says where to search, not what for. It may stand among the terms of an `$and`. */
export function splitVersionsAll(filter: JsonObject | undefined): { readonly all: boolean; readonly filter: JsonObject | undefined } {
  if (filter === undefined) return { all: false, filter };
  const { [ALL_VERSIONS]: own, ...rest } = filter;
  const terms = Array.isArray(rest['$and']) ? (rest['$and'] as readonly unknown[]) : [];
  const among = terms.flatMap((term) => (isObject(term) && Object.hasOwn(term, ALL_VERSIONS) ? [term[ALL_VERSIONS]] : []));
  const isAll = [own, ...among].some((value) => value === true || value === 'true');
  if (among.length === 0) return { all: isAll, filter: rest };
  return { all: isAll, filter: { ...rest, $and: terms.map((term) => (isObject(term) ? without(term, ALL_VERSIONS) : term)) } };
}

/** One page of what matches and how many match in all. */
export async function slice(store: DocumentStore, target: CollectionRef, filter: ParsedFilter, query: Omit<ListQuery, 'filter'>): Promise<Slice<StoredDocument>> {
  const { list, total, isCut } = await store.page(targeted(target, filter, query));
  return { rows: documentsIn(list), total, ...(isCut && { isCut }) };
}

/** The same of a page of which those rows stay that meet the condition; the total is of what matches. */
export async function linkedSlice(store: DocumentStore, target: CollectionRef, query: Omit<ListQuery, 'filter'> & { readonly filter: ParsedFilter }, condition: LinkCondition): Promise<Slice<StoredDocument>> {
  const { documents, total, ...cut } = await store.linkedPage(targeted(target, query.filter, query), condition);
  return { rows: documents, total, ...cut };
}

/** The page of a list, as a store is asked for it. */
export const targeted = (target: CollectionRef, filter: ParsedFilter, { tenant, paging, sort, projection }: Omit<ListQuery, 'filter'>): TargetedQuery => ({
  target, filter, tenant, skip: paging.offset, limit: paging.pageSize, ...(sort && { sort }), ...(projection && { projection }),
});
