import type { MongoConnection, MongoTx } from '@twinyard/service-kit';
import { DataKeyGone, type DataKeyUse, DataKeyUses } from '../data-key-uses';
import { DATA_KEY_USES, DATA_KEYS } from './data-keys-collections';
import type { DataKeyDocument } from './mongo-data-key-store.adapter';

interface UseDocument extends DataKeyUse {
  _id: string;
}

/** A first use changes the key's document too, so that it cannot be removed at the same moment. */
export class MongoDataKeyUses extends DataKeyUses<MongoTx> {
  constructor(private readonly connection: MongoConnection) {
    super();
  }

  override async hold(tx: MongoTx, { keyId, holder }: DataKeyUse): Promise<void> {
    const _id = `${keyId} ${holder}`;
    const uses = tx.collection<UseDocument>(DATA_KEY_USES);
    if (await uses.findOne({ _id }, tx.options)) return;
    await tx.touch(DATA_KEYS, [keyId]);
    const { matchedCount } = await tx.collection<DataKeyDocument>(DATA_KEYS).updateOne({ _id: keyId }, { $inc: { began: 1 } }, tx.options);
    if (matchedCount === 0) throw new DataKeyGone(keyId);
    await tx.touch(DATA_KEY_USES, [_id]);
    await uses.insertOne({ _id, keyId, holder }, tx.options);
  }

  override async release(tx: MongoTx, keyIds: readonly string[], holder: string): Promise<void> {
    const ids = keyIds.map((keyId) => `${keyId} ${holder}`);
    await tx.touch(DATA_KEY_USES, ids);
    await tx.collection<UseDocument>(DATA_KEY_USES).deleteMany({ _id: { $in: ids } }, tx.options);
  }

  override async list(keyIds: readonly string[], after: string | undefined, limit: number): Promise<DataKeyUse[]> {
    const uses = this.connection.db.collection<UseDocument>(DATA_KEY_USES);
    const found = await uses.find({ keyId: { $in: [...keyIds] }, holder: { $gt: after ?? '' } }).sort({ holder: 1, keyId: 1 }).limit(limit).toArray();
    return found.map(({ keyId, holder }) => ({ keyId, holder }));
  }
}
