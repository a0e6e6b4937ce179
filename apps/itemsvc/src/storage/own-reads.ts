import { allOf, type CollectionRef, type DocumentStore, type DocumentTx, type JsonObject, type ParsedFilter, type StoredDocument } from '@twinyard/documents';
import { own } from './filters';

type Store = Pick<DocumentStore, 'portion'>;

/** What the service reads for its own work, whatever it weighs. */
export interface OwnRead {
  readonly filter: ParsedFilter;
  /** What is not needed is not held. */
  readonly projection?: JsonObject;
  readonly limit: number;
  /** Missing: that of ids. No two documents stand at one place of it. */
  readonly order?: OwnOrder;
  /** Where a projection cannot say what is needed of one. */
  readonly keep?: (document: StoredDocument) => StoredDocument;
}

interface OwnOrder {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  /** A condition on those behind this one. */
  readonly behind: (last: StoredDocument) => JsonObject;
}

/** Ids in one question. */
const IDS = 1_000;

const BY_ID: OwnOrder = { sort: { _id: 1 }, behind: ({ _id }) => ({ _id: { $gt: _id } }) };

/** All of it, a portion behind the other. */
export async function readOwn(store: Store, target: CollectionRef, { filter, limit, order = BY_ID, keep, ...query }: OwnRead, tx?: DocumentTx): Promise<StoredDocument[]> {
  const found: StoredDocument[] = [];
  for (let rest = filter, more = true; more;) {
    const { documents, isCut } = await store.portion(target, { ...query, filter: rest, sort: order.sort, limit: limit - found.length }, tx);
    for (const document of documents) found.push(keep?.(document) ?? document);
    const last = documents.at(-1);
    more = isCut && last !== undefined;
    if (last !== undefined) rest = allOf(filter, own(order.behind(last)));
  }
  return found;
}

/** All that meets a filter, at most `limit` at a time, in the order of ids: for whoever changes each and need not hold all of them. */
export async function* portionsOf(store: Store, target: CollectionRef, filter: ParsedFilter, limit: number, tx?: DocumentTx): AsyncGenerator<readonly StoredDocument[], void> {
  for (let rest = filter, more = true; more;) {
    const { documents, isCut } = await store.portion(target, { filter: rest, sort: BY_ID.sort, limit }, tx);
    const last = documents.at(-1);
    if (last === undefined) return;
    yield documents;
    more = isCut || documents.length === limit;
    rest = allOf(filter, own(BY_ID.behind(last)));
  }
}

type ReadOfIds = Partial<Pick<OwnRead, 'filter' | 'projection'>>;

/** Those of these ids that are there and meet the filter, a portion at a time, in no order: for whoever need not hold all of them. */
export async function* portionsByIds(store: Store, target: CollectionRef, ids: readonly string[], { filter, projection }: ReadOfIds, tx?: DocumentTx): AsyncGenerator<readonly StoredDocument[], void> {
  const unique = [...new Set(ids)];
  for (let first = 0; first < unique.length; first += IDS) {
    for (let open: readonly string[] = unique.slice(first, first + IDS); open.length > 0;) {
      const among = own({ _id: { $in: open } });
      const { documents, isCut } = await store.portion(target, { filter: filter === undefined ? among : allOf(among, filter), limit: open.length, ...(projection && { projection }) }, tx);
      if (documents.length > 0) yield documents;
      const there = new Set(documents.map(({ _id }) => _id));
      open = isCut ? open.filter((id) => !there.has(id)) : [];
    }
  }
}

/** The same together. */
export async function readOwnByIds(store: Store, target: CollectionRef, ids: readonly string[], query: ReadOfIds = {}, tx?: DocumentTx): Promise<StoredDocument[]> {
  const found: StoredDocument[] = [];
  for await (const some of portionsByIds(store, target, ids, query, tx)) for (const document of some) found.push(document);
  return found;
}
