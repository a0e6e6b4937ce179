import type { CollectionRef, StoredDocument } from './document';
import type { Filter } from './document-store';

/** Documents of which each stands for a link between two others; the fields named here are at their top and hold texts. */
export interface Links {
  readonly in: CollectionRef;
  /** The field that names the document at this end: a prefix, and then its `_id`. */
  readonly near: { readonly field: string; readonly prefix: string };
  /** The fields that name the other end: whose it is, the partition, and the `_id` there. */
  readonly far: { readonly owner: string; readonly partition: string; readonly id: string };
}

/** Links of documents at this end, asked for by what names these whole. */
export interface LinksOf extends Pick<Links, 'in' | 'far'> {
  readonly near: { readonly field: string; readonly names: readonly string[] };
  /** Whose documents count at the other end. */
  readonly owners: readonly string[];
  readonly limit: number;
}

/** What names the document at this end, and the other end. */
export interface Link {
  readonly near: string;
  readonly owner: string;
  readonly partition: string;
  readonly id: string;
}

/** A collection at the other end of links that name its owner. */
export interface LinkTarget {
  readonly owner: string;
  readonly name: string;
  /** Which of its documents count. */
  readonly filter: Filter;
}

/** Holds for a document from which one link at least leads to a document of one of the targets. */
export interface LinkTerm {
  readonly links: Links;
  readonly targets: readonly LinkTarget[];
}

export interface LinkCondition {
  /** All of the terms must hold; or any. */
  readonly every: boolean;
  readonly terms: readonly LinkTerm[];
}

/** The documents of a page that meet a condition, in its order. */
export interface LinkedPage {
  readonly documents: StoredDocument[];
  /** How many match the query, whatever they are linked to. */
  readonly total: number;
  /** As in a `TextPage`: some that meet the condition are left out. */
  readonly isCut?: boolean;
  /** Where some are: how many documents of the page, of those too that do not meet the condition, lie before the first that is left out. Whoever goes on behind so many misses none. */
  readonly passed?: number;
}
