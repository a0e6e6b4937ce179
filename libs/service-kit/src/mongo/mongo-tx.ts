import type { ClientSession, Collection, Db, Document } from 'mongodb';
import { Tx } from '../tx';

export type MongoId = string | number | object;

/** A document as a MongoDB collection holds it, by whatever id its owner gave it. */
export interface MongoDocument extends Document {
  _id: MongoId;
}

/**
 * A transaction of a MongoDB database. Every read and write in it passes `options` to the driver, and every write says before
 * which ids it is going to change (`touch`), since a server without transactions has to put them back itself.
 *
 *     await tx.touch(name, [id]);
 *     await tx.collection(name).updateOne({ _id: id }, { $set: { n: 1 } }, tx.options);
 */
export abstract class MongoTx extends Tx {
  constructor(protected readonly db: Db) {
    super();
  }

  /** To be passed with every call of the driver: the session on a replica set, nothing on a standalone server. */
  abstract readonly options: { readonly session?: ClientSession };

  collection<T extends MongoDocument = MongoDocument>(name: string): Collection<T> {
    return this.db.collection<T>(name);
  }

  /** Tells which documents are about to be inserted, changed or deleted. Costs nothing on a replica set. */
  abstract touch(collection: string, ids: readonly MongoId[]): Promise<void>;
}
