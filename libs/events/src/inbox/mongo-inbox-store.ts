import { Inject, Injectable } from '@nestjs/common';
import { isDuplicateKey, LostRace, MongoConnection, type MongoTx } from '@twinyard/service-kit';
import { EVENT_INBOX } from '../events-collections';
import { InboxStore } from './inbox-store';

interface InboxDocument {
  /** Handler and event. */
  _id: string;
  handledAt: Date;
}

/** A transaction of this many documents is still a short one. */
const PRUNE_BATCH = 1_000;

/**
 * The inbox in a MongoDB database. Of two deliveries at the same time the second is refused, tried again as a whole, and then finds the
 * mark of the first.
 */
@Injectable()
export class MongoInboxStore extends InboxStore<MongoTx> {
  constructor(@Inject(MongoConnection) private readonly connection: MongoConnection) {
    super();
  }

  override async claim(tx: MongoTx, handler: string, eventId: string): Promise<boolean> {
    const _id = `${handler} ${eventId}`;
    const inbox = tx.collection<InboxDocument>(EVENT_INBOX);
    // Asked first: a duplicate key would end the transaction.
    if (await inbox.findOne({ _id }, tx.options)) return false;
    await tx.touch(EVENT_INBOX, [_id]);
    await inbox.insertOne({ _id, handledAt: this.connection.now() }, tx.options).catch((error: unknown) => {
      throw isDuplicateKey(error) ? new LostRace('The event is being handled already', error) : error;
    });
    return true;
  }

  override async prune(tx: MongoTx, before: Date): Promise<number> {
    const inbox = tx.collection<InboxDocument>(EVENT_INBOX);
    const old = await inbox.find({ handledAt: { $lt: before } }, { ...tx.options, projection: { _id: 1 }, limit: PRUNE_BATCH }).toArray();
    const ids = old.map(({ _id }) => _id);
    await tx.touch(EVENT_INBOX, ids);
    const { deletedCount } = await inbox.deleteMany({ _id: { $in: ids } }, tx.options);
    return deletedCount;
  }
}
