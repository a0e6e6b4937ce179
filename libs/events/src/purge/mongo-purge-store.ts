import { Inject, Injectable } from '@nestjs/common';
import { isDuplicateKey, LostRace, MongoConnection, type MongoTx } from '@twinyard/service-kit';
import { NAMESPACE_PURGES } from './purge-migration';
import { type PurgeRequest, PurgeStore } from './purge-store';

interface PurgeDocument {
  /** The namespace. */
  _id: string;
  askedById: string;
  requestId: string;
  askedAt: Date;
  removed: number;
  /** Missing once it has ended, so that the sparse index holds the open ones alone. */
  dueAt?: Date;
  /** For replicas of the release before, which take purges from here. */
  pass: 'FIRST';
  finishedAt?: Date;
}

/** In the service's MongoDB database. Of two that change one purge at a time the second is refused, and looks again. */
@Injectable()
export class MongoPurgeStore extends PurgeStore<MongoTx> {
  constructor(@Inject(MongoConnection) private readonly connection: MongoConnection) {
    super();
  }

  override async ask(tx: MongoTx, { namespace, askedById, requestId }: PurgeRequest): Promise<void> {
    const now = this.connection.now();
    await tx.touch(NAMESPACE_PURGES, [namespace]);
    const asked = purgesIn(tx).updateOne({ _id: namespace }, {
      $set: { askedById, requestId, pass: 'FIRST', dueAt: now },
      $unset: { finishedAt: 1 },
      $setOnInsert: { askedAt: now, removed: 0 },
    }, { ...tx.options, upsert: true });
    await asked.catch((error: unknown) => {
      throw isDuplicateKey(error) ? new LostRace('The purge is being asked for already', error) : error;
    });
  }

  override async finish(tx: MongoTx, { namespace, requestId }: PurgeRequest, removed: number): Promise<boolean> {
    await tx.touch(NAMESPACE_PURGES, [namespace]);
    const change = { $set: { finishedAt: this.connection.now(), removed }, $unset: { dueAt: 1 } } as const;
    return (await purgesIn(tx).updateOne({ _id: namespace, requestId, dueAt: { $exists: true } }, change, tx.options)).matchedCount === 1;
  }

  override async purgedOf(tx: MongoTx, namespaces: readonly string[]): Promise<string[]> {
    return (await purgesIn(tx).find({ _id: { $in: [...namespaces] } }, { ...tx.options, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  }

  override async unfinishedAfter(tx: MongoTx, after: string, limit: number): Promise<PurgeRequest[]> {
    const found = await purgesIn(tx).find({ _id: { $gt: after }, dueAt: { $exists: true } }, { ...tx.options, sort: { _id: 1 }, limit }).toArray();
    return found.map(({ _id: namespace, askedById, requestId }) => ({ namespace, askedById, requestId }));
  }

  override unfinished(tx: MongoTx): Promise<number> {
    return purgesIn(tx).countDocuments({ dueAt: { $exists: true } }, tx.options);
  }
}

const purgesIn = (tx: MongoTx) => tx.collection<PurgeDocument>(NAMESPACE_PURGES);
