/** A document as the store holds it: plain JSON with a text `_id`. Key order of objects is not kept. */
export interface StoredDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** Plain JSON of any shape, for example a filter, a projection or a stage as the caller sent it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Which documents an operation is about: a collection and one partition of it. A user collection has a partition for each
 * version (all versions of an item live in one collection); a system collection has a single one, the empty text.
 */
export interface CollectionRef {
  readonly name: string;
  readonly partition: string;
  /** Of one document, where it may be more than `MAX_DOCUMENT_BYTES`. */
  readonly maxDocumentBytes?: number;
}

/** Of the JSON of one document (contract 0.1). MongoDB holds as much in its own form, which may be somewhat longer. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 ** 2;

/** A system collection: items, versions, relations, requests. */
export const systemCollection = (name: string, options: Pick<CollectionRef, 'maxDocumentBytes'> = {}): CollectionRef => Object.freeze({ name, partition: '', ...options });

/** One version of a user collection. */
export const versionOf = (name: string, versionId: string): CollectionRef => Object.freeze({ name, partition: versionId });

/**
 * The size of a document, the same in every store: the UTF-8 length of `JSON.stringify` of what the repository hands over
 * (contract 4: "the UTF-8 length of the JSON … as stored"), `_id` included. It is kept beside the document, so that what a
 * delete subtracts is exactly what its insert added.
 */
export const byteSize = (document: unknown): number => Buffer.byteLength(JSON.stringify(document));
