import type { Paging } from '@twinyard/conventions';
import type { JsonObject } from '@twinyard/documents';
import type { Direction } from '../relationships/relations.repository';
import type { PathSegment } from './graph-paths';

/** Which related items: those of the collections that `collections` selects, along or against the relations. */
export interface RelatedDesc {
  /** A filter on named items. */
  readonly collections: JsonObject;
  readonly direction: Direction;
}

export interface RelatedSearch {
  readonly desc: RelatedDesc;
  readonly query?: JsonObject;
  readonly projection?: JsonObject;
  readonly sort?: JsonObject;
  readonly paging: Paging;
  readonly as: string;
  readonly related: readonly RelatedSearch[];
}

/** Keeps those parents that have a related item for all, or any, of the terms. */
export interface RelatedFilter {
  readonly every: boolean;
  readonly includeResult: boolean;
  readonly terms: readonly RelatedSearch[];
}

export interface RelatedDistinct {
  readonly desc: RelatedDesc;
  readonly query?: JsonObject;
  readonly field: string;
  readonly as: string;
}

export interface FindWithRelated {
  readonly operator: '$findWithRelated';
  readonly collections: JsonObject;
  readonly collectionProjection?: JsonObject;
  readonly query?: JsonObject;
  readonly projection?: JsonObject;
  readonly sort?: JsonObject;
  readonly paging: Paging;
  readonly related: readonly RelatedSearch[];
  readonly relatedFilter?: RelatedFilter;
  readonly distinct: readonly RelatedDistinct[];
}

export interface DistinctFields {
  readonly operator: '$distinctRelatedItemFields';
  readonly collections: JsonObject;
  readonly collectionProjection?: JsonObject;
  readonly fields: readonly { readonly field: string; readonly query?: JsonObject; readonly count: boolean }[];
}

/** One kind of step of a graph; its paging means nothing, a path is shown as a whole. */
export interface GraphSegment extends RelatedSearch, PathSegment {}

export interface FindGraph {
  readonly operator: '$findWithRelatedGraph';
  readonly collections: JsonObject;
  readonly collectionProjection?: JsonObject;
  readonly query?: JsonObject;
  readonly projection?: JsonObject;
  readonly sort?: JsonObject;
  readonly paging: Paging;
  readonly segments: readonly GraphSegment[];
  /** The name under which each row has its paths. */
  readonly as: string;
}

export type SearchRequest = FindWithRelated | FindGraph | DistinctFields;
