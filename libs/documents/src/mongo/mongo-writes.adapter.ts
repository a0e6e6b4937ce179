import type { MongoDocument, MongoId, MongoTx } from '@twinyard/service-kit';
import type { AnyBulkWriteOperation, Filter, OptionalUnlessRequiredId } from 'mongodb';
import type { DocumentTx, WriteResult } from '../document-store';
import { batchesOf, idBatchesOf } from './batches';
import { asMongoTx } from './mongo-reads.adapter';
import { translateWriteError } from './write-errors';

/** What a write has to know of what is there: the ids and what they weigh. */
export interface Weighed {
  readonly _id: MongoId;
  readonly bytes: number;
  /** Of a document: its place in the order of creation. */
  readonly seq?: number;
}

export const WEIGHT = { bytes: 1, seq: 1 } as const;

export async function insertRows(tx: DocumentTx, collection: string, rows: readonly MongoDocument[]): Promise<void> {
  for (const batch of batchesOf(rows)) {
    await write(tx, collection, batch.map((row) => row._id), (mongo) =>
      mongo.collection(collection).insertMany(batch as OptionalUnlessRequiredId<MongoDocument>[], mongo.options));
  }
}

/** `insert` and `replace` are about whole rows, `set` about the fields named. */
export type RowWrite = { readonly kind: 'insert' | 'replace' | 'set'; readonly row: MongoDocument };

export async function writeRows(tx: DocumentTx, collection: string, writes: readonly RowWrite[]): Promise<void> {
  for (const batch of batchesOf(writes)) {
    await write(tx, collection, batch.map(({ row }) => row._id), (mongo) => mongo.collection(collection).bulkWrite(batch.map(toOperation), mongo.options));
  }
}

/** The driver's type of a document to insert is `never` where `_id` is an object of any shape. */
function toOperation({ kind, row }: RowWrite): AnyBulkWriteOperation<MongoDocument> {
  const { _id, ...fields } = row;
  const filter = { _id } as Filter<MongoDocument>;
  switch (kind) {
    case 'insert':
      return { insertOne: { document: row as never } };
    case 'replace':
      return { replaceOne: { filter, replacement: fields } };
    case 'set':
      return { updateOne: { filter, update: { $set: fields } } };
  }
}

/** A unique index is looked at row by row: those that exchange their values would be in each other's way, so all are taken out first. */
export async function replaceRows(tx: DocumentTx, collection: string, before: readonly Weighed[], rows: readonly MongoDocument[]): Promise<void> {
  await deleteRows(tx, collection, before);
  await insertRows(tx, collection, rows);
}

export async function deleteRows(tx: DocumentTx, collection: string, rows: readonly Weighed[]): Promise<WriteResult> {
  for (const batch of idBatchesOf(rows, asMongoTx(tx).options)) {
    const ids = batch.map((row) => row._id);
    await write(tx, collection, ids, (mongo) => mongo.collection(collection).deleteMany(anyOf(ids) as Filter<MongoDocument>, mongo.options));
  }
  return { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0) };
}

export const anyOf = (ids: readonly MongoId[]) => ({ _id: { $in: ids } });

async function write(tx: DocumentTx, collection: string, ids: readonly MongoId[], work: (tx: MongoTx) => Promise<unknown>): Promise<void> {
  const mongo = asMongoTx(tx);
  await mongo.touch(collection, ids);
  try {
    await work(mongo);
  } catch (error) {
    throw translateWriteError(error);
  }
}
