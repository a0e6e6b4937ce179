import { isDuplicateKey, LostRace, type MongoConnection, type MongoTx } from '@twinyard/service-kit';
import type { Collection } from 'mongodb';
import type { DataKeyRecord } from '../data-key';
import { DataKeyInUse, DataKeyStore } from '../data-key-store';
import { DATA_KEY_USES, DATA_KEYS } from './data-keys-collections';

export interface DataKeyDocument {
  /** The key's id. */
  _id: string;
  namespace: string;
  version: number;
  wrapped: string;
  /** How often somebody began to use it: a first use and a removal at once are a conflict, and one of them comes later. */
  began: number;
}

/** In the service's MongoDB database. Of two that change one key at a time the second is refused, and looks again. */
export class MongoDataKeyStore extends DataKeyStore<MongoTx> {
  private readonly keys: Collection<DataKeyDocument>;

  constructor(connection: MongoConnection) {
    super();
    this.keys = connection.db.collection<DataKeyDocument>(DATA_KEYS);
  }

  override async find(id: string): Promise<DataKeyRecord | undefined> {
    const key = await this.keys.findOne({ _id: id });
    return key === null ? undefined : toRecord(key);
  }

  override async listOf(namespace: string): Promise<DataKeyRecord[]> {
    return (await this.keys.find({ namespace }).sort({ version: -1 }).toArray()).map(toRecord);
  }

  override async list(after: string | undefined, limit: number): Promise<DataKeyRecord[]> {
    return (await this.keys.find({ _id: { $gt: after ?? '' } }).sort({ _id: 1 }).limit(limit).toArray()).map(toRecord);
  }

  override async insertIfAbsent(tx: MongoTx, { id, namespace, version, wrapped }: DataKeyRecord): Promise<boolean> {
    const keys = keysIn(tx);
    // Asked first: a duplicate key would end the transaction.
    if (await keys.findOne({ namespace, version }, tx.options)) return false;
    await tx.touch(DATA_KEYS, [id]);
    await keys.insertOne({ _id: id, namespace, version, wrapped, began: 0 }, tx.options).catch((error: unknown) => {
      throw isDuplicateKey(error) ? new LostRace('The key is being made already', error) : error;
    });
    return true;
  }

  override async replaceWrapped(tx: MongoTx, { id, wrapped: before }: DataKeyRecord, wrapped: string): Promise<boolean> {
    await tx.touch(DATA_KEYS, [id]);
    return (await keysIn(tx).updateOne({ _id: id, wrapped: before }, { $set: { wrapped } }, tx.options)).matchedCount === 1;
  }

  override async remove(tx: MongoTx, id: string): Promise<boolean> {
    if (await tx.collection(DATA_KEY_USES).findOne({ keyId: id }, tx.options)) throw new DataKeyInUse(id);
    await tx.touch(DATA_KEYS, [id]);
    return (await keysIn(tx).deleteOne({ _id: id }, tx.options)).deletedCount === 1;
  }
}

const keysIn = (tx: MongoTx) => tx.collection<DataKeyDocument>(DATA_KEYS);

const toRecord = ({ _id, namespace, version, wrapped }: DataKeyDocument): DataKeyRecord => ({ id: _id, namespace, version, wrapped });
