import { type MongoConnection, isDuplicateKey } from '@twinyard/service-kit';
import type { Collection, CreateIndexesOptions } from 'mongodb';
import { checkCollectionName } from '../collection-name';
import type { CollectionOptions, IndexSpec } from '../document-store';
import { checkIndexSpec, isText, isThere, isUnique } from '../indexes/index-spec';
import { ALL_FIELDS_INDEX, indexDefinition, indexName, ORDER_INDEX } from './index-definition';
import { READINGS } from './stored-fields';
import { translateWriteError } from './write-errors';

const CATALOGUE = 'document_collections';
/** Contract 2.5 says 64 at most. MongoDB's own bound is 64 with those that the adapter needs: `_id`, the order, all fields. */
const MAX_INDEXES = 61;
const MAX_ATTEMPTS = 5;

const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

export const documentsOf = (collection: string) => `doc_${checkCollectionName(collection)}`;

/** The indexes in the order of creation. A document a collection, so that each change is atomic, whichever process makes it. */
interface CatalogueEntry {
  readonly _id: string;
  readonly indexes: readonly IndexEntry[];
}

interface IndexEntry {
  readonly name: string;
  readonly isText: boolean;
  /** As JSON: paths have dots, and their order counts. */
  readonly spec: string;
}

/** Collections and their indexes. MongoDB makes and drops both outside of transactions. */
export class CollectionCatalogue {
  constructor(private readonly connection: MongoConnection) {}

  async install(): Promise<void> {
    await this.connection.ensure({ [CATALOGUE]: [] });
  }

  async create(name: string, options: CollectionOptions): Promise<void> {
    const collection = documentsOf(name);
    await translated(async () => {
      await this.connection.ensure({ [collection]: [ORDER_INDEX, ...(options.indexAllFields ? [ALL_FIELDS_INDEX] : [])] });
      await this.entries.updateOne({ _id: name }, { $setOnInsert: { indexes: [] } }, { upsert: true }).catch(ignoreDuplicate);
    });
    for (const index of options.indexes ?? []) await this.createIndex(name, index);
  }

  async drop(name: string): Promise<void> {
    const collection = documentsOf(name);
    await translated(async () => {
      await this.connection.db.collection(collection).drop().catch(ignoreMissing);
      await this.connection.db.collection(READINGS).deleteMany({ '_id.collection': name });
      await this.entries.deleteOne({ _id: name });
    });
  }

  /** Entered first, so that of two with one name, or of two text indexes, one is refused; taken out when it cannot be made. */
  async createIndex(name: string, index: IndexSpec): Promise<void> {
    const collection = documentsOf(name);
    checkIndexSpec(index);
    return translated(async () => {
      const entered = await this.enter(name, index);
      const { key, ...options } = indexDefinition(index);
      try {
        // Also where it was entered already: another process may be at it still, or have stopped before it.
        await this.connection.db.collection(collection).createIndex(key, options as CreateIndexesOptions);
      } catch (error) {
        if (entered) await this.leave(name, index.options.name);
        throw error;
      }
    });
  }

  /** The index goes before its entry: what is stopped half way is done by the next call. */
  async dropIndex(name: string, index: string): Promise<boolean> {
    const collection = documentsOf(name);
    return translated(async () => {
      await this.connection.db.collection(collection).dropIndex(indexName(index)).catch(ignoreMissing);
      return this.leave(name, index);
    });
  }

  async list(name: string): Promise<IndexSpec[]> {
    return translated(async () => {
      const entry = await this.entries.findOne({ _id: name });
      return (entry?.indexes ?? []).map(({ spec }) => JSON.parse(spec) as IndexSpec);
    });
  }

  async hasUniqueIndex(name: string): Promise<boolean> {
    return (await this.list(name)).some(isUnique);
  }

  async hasTextIndex(name: string): Promise<boolean> {
    return translated(async () => (await this.entries.countDocuments({ _id: name, 'indexes.isText': true })) > 0);
  }

  /** `true`: this call has entered it. */
  private async enter(name: string, index: IndexSpec): Promise<boolean> {
    const entry: IndexEntry = { name: index.options.name, isText: isText(index), spec: JSON.stringify(index) };
    const free = { 'indexes.name': { $ne: entry.name }, [`indexes.${MAX_INDEXES - 1}`]: { $exists: false }, ...(entry.isText && { 'indexes.isText': { $ne: true } }) };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { modifiedCount } = await this.entries.updateOne({ _id: name, ...free }, { $push: { indexes: entry } });
      if (modifiedCount > 0) return true;
      if (isThere(await this.list(name), index, MAX_INDEXES)) return false;
    }
    throw new Error(`There is no collection ${name} to index`);
  }

  private async leave(name: string, index: string): Promise<boolean> {
    const { modifiedCount } = await this.entries.updateOne({ _id: name }, { $pull: { indexes: { name: index } } });
    return modifiedCount > 0;
  }

  private get entries(): Collection<CatalogueEntry> {
    return this.connection.db.collection<CatalogueEntry>(CATALOGUE);
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateWriteError(error);
  }
}

function ignoreDuplicate(error: unknown): void {
  if (!isDuplicateKey(error)) throw error;
}

/** Older servers have no code for a collection that is not there. */
function ignoreMissing(error: unknown): void {
  const { code, message } = error as { code?: unknown; message?: string };
  if (code !== NAMESPACE_NOT_FOUND && code !== INDEX_NOT_FOUND && !/ns not found/.test(message ?? '')) throw error;
}
