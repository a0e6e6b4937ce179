import type { AnyBulkWriteOperation, Collection, Db, Filter } from 'mongodb';
import { isDuplicateKey } from './mongo-errors';
import type { MongoDocument, MongoId } from './mongo-tx';

const UNDO_COLLECTION = 'twinyard_undo';

interface UndoEntry {
  _id: string;
  /** The transaction. */
  fence: number;
  collection: string;
  id: MongoId;
  /** The document as it was; null when there was none. */
  before: MongoDocument | null;
}

/** Numbers, dates and buffers stay what they are in the database, so that a document is put back byte for byte. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false } as const;

/** What the documents were that a transaction is about to change. */
export class UndoJournal {
  private readonly entries: Collection<UndoEntry>;

  constructor(private readonly db: Db) {
    this.entries = db.collection<UndoEntry>(UNDO_COLLECTION);
  }

  async install(): Promise<void> {
    await this.entries.createIndex({ fence: 1 });
  }

  /** Notes documents that the transaction has not noted yet; resolves when the server has them. */
  async note(fence: number, collection: string, ids: readonly MongoId[]): Promise<void> {
    if (ids.length === 0) return;
    const before = new Map<string, MongoDocument>();
    for (const some of batchesOf(ids)) {
      const found = await this.db.collection<MongoDocument>(collection).find(anyOf(some), EXACT).toArray();
      for (const document of found) before.set(keyOf(document._id), document);
    }
    await this.entries.insertMany(ids.map((id) => (
      { _id: `${fence} ${collection} ${keyOf(id)}`, fence, collection, id, before: before.get(keyOf(id)) ?? null }
    )));
  }

  /** Puts back what the transactions from `first` to `last` have changed, and forgets them. May be done twice. */
  async undo(first: number, last: number): Promise<void> {
    const entries = await this.entries.find({ fence: { $gte: first, $lte: last } }, EXACT).toArray();
    for (const name of new Set(entries.map(({ collection }) => collection))) {
      await putBack(this.db.collection(name), entries.filter(({ collection }) => collection === name));
    }
    await this.forget(first, last);
  }

  async forget(first: number, last: number): Promise<void> {
    await this.entries.deleteMany({ fence: { $gte: first, $lte: last } });
  }
}

async function putBack(collection: Collection<MongoDocument>, entries: readonly UndoEntry[]): Promise<void> {
  const old = entries.flatMap(({ before }) => (before ? [before] : []));
  const made = entries.flatMap(({ id, before }) => (before ? [] : [id]));
  for (const some of batchesOf(made)) await collection.deleteMany(anyOf(some));
  if (old.length === 0) return;
  const replace = old.map((document): AnyBulkWriteOperation<MongoDocument> => ({ replaceOne: { filter: anyOf([document._id]), replacement: document, upsert: true } }));
  await collection.bulkWrite(replace).catch(async (error: unknown) => {
    // Two documents that have exchanged the value of a unique index are in each other's way.
    if (!isDuplicateKey(error)) throw error;
    for (const some of batchesOf(old)) await collection.deleteMany(anyOf(some.map(({ _id }) => _id)));
    await collection.insertMany(old);
  });
}

export const keyOf = (id: MongoId): string => JSON.stringify(id);

/** The stand-in for MongoDB compares each document that it finds with all ids of the filter: 5,000 at once take it half a minute. */
const BATCH = 200;

const batchesOf = <T>(list: readonly T[]) => Array.from({ length: Math.ceil(list.length / BATCH) }, (_, n) => list.slice(n * BATCH, (n + 1) * BATCH));

/** The driver's types know no filter for an id that may be of any type. */
const anyOf = (ids: readonly MongoId[]) => ({ _id: { $in: ids } }) as Filter<MongoDocument>;
