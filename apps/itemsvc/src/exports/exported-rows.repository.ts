import { Injectable } from '@nestjs/common';
import { allOf, DocumentStore, type ParsedFilter, parseFilter, type Snapshot, type StoredDocument, type StreamQuery } from '@twinyard/documents';
import { ItemEncryption } from '../encryption/item-encryption';
import { refuseEncryptedPaths } from '../encryption/refused-paths';
import type { Spot } from '../relateditems/related-items.repository';
import { relatedItemsOf } from '../storage/collections';
import { own } from '../storage/filters';
import type { ListQuery } from '../storage/list-query';
import { hidesId, withId, without } from '../storage/projected-ids';

export type RowQuery = Pick<ListQuery, 'filter' | 'sort' | 'projection'>;
export type WholeRowQuery = Omit<RowQuery, 'projection'>;
type Fields = Readonly<Record<string, unknown>>;
export type RowParts = AsyncIterable<readonly Fields[]>;
export type TextParts = AsyncIterable<readonly string[]>;

const target = ({ itemId, versionId }: Spot) => relatedItemsOf(itemId, versionId);
const toStream = ({ filter, sort, projection }: RowQuery, only: ParsedFilter | undefined): StreamQuery => {
  const asked = filter === undefined ? own({}) : parseFilter(filter);
  return { filter: only === undefined ? asked : allOf(asked, only), ...(sort && { sort }), ...(projection && { projection }) };
};

/** Reads collection versions at length, as far as they are in the caller's reach. */
@Injectable()
export class ExportedRowsRepository {
  constructor(
    private readonly store: DocumentStore,
    private readonly encryption: ItemEncryption,
  ) {}

  snapshot(): Promise<Snapshot> {
    return this.store.snapshot();
  }

  async *relatedItems(snapshot: Snapshot, spot: Spot, query: RowQuery): AsyncGenerator<readonly Fields[], void> {
    if (spot.encryptedIn === undefined) return yield* snapshot.documents(target(spot), toStream(query, spot.only));
    refuseEncryptedPaths({ ...(query.filter && { query: query.filter }), ...(query.sort && { sort: query.sort }) });
    // What is encrypted is bound to the `_id` of its item.
    const { projection, ...rest } = query;
    const wanted = withId(projection);
    for await (const part of snapshot.documents(target(spot), toStream({ ...rest, ...(wanted && { projection: wanted }) }, spot.only))) {
      const plain: readonly StoredDocument[] = await this.encryption.open(spot, part);
      yield hidesId(projection) ? plain.map((row) => without(row, '_id')) : plain;
    }
  }

  /** As the store has them: of items that are not encrypted. */
  relatedItemTexts(snapshot: Snapshot, spot: Spot, query: WholeRowQuery): TextParts {
    return snapshot.documentTexts(target(spot), toStream(query, spot.only));
  }

  readingTexts(snapshot: Snapshot, spot: Spot, query: WholeRowQuery, only: ParsedFilter | undefined): TextParts {
    return snapshot.readingTexts(target(spot), toStream(query, only));
  }

  readings(snapshot: Snapshot, spot: Spot, query: RowQuery, only: ParsedFilter | undefined): RowParts {
    return snapshot.readings(target(spot), toStream(query, only));
  }
}
