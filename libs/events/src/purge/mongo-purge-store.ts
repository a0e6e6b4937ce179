import { Inject, Injectable } from '@nestjs/common';
import { isDuplicateKey, LostRace, MongoConnection, type MongoTx } from '@twinyard/service-kit';
import { NAMESPACE_PURGES } from './purge-migration';
import { type PurgeJob, type PurgeLease, type PurgePass, type PurgeRequest, PurgeStore } from './purge-store';

interface PurgeDocument {
  /** The namespace. */
  _id: string;
  askedById: string;
  requestId: string;
  askedAt: Date;
  pass: PurgePass;
  removed: number;
  /** Missing once it has ended, so that the sparse index holds the open ones alone. */
  dueAt?: Date;
  leasedBy?: string;
  leasedUntil?: Date;
  finishedAt?: Date;
}

const UNLEASED = { leasedBy: 1, leasedUntil: 1 } as const;

/** In the service's MongoDB database. Of two that change one job at a time the second is refused, and looks again. */
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
      $unset: { ...UNLEASED, finishedAt: 1 },
      $setOnInsert: { askedAt: now, removed: 0 },
    }, { ...tx.options, upsert: true });
    await asked.catch((error: unknown) => {
      throw isDuplicateKey(error) ? new LostRace('The purge is being asked for already', error) : error;
    });
  }

  override async claim(tx: MongoTx, { owner, leaseMs }: PurgeLease): Promise<PurgeJob | undefined> {
    const now = this.connection.now();
    const due = { dueAt: { $lte: now }, $or: [{ leasedUntil: { $exists: false } }, { leasedUntil: { $lt: now } }] };
    const found = await purgesIn(tx).findOne(due, { ...tx.options, sort: { dueAt: 1 } });
    if (found === null) return undefined;
    await tx.touch(NAMESPACE_PURGES, [found._id]);
    await purgesIn(tx).updateOne({ _id: found._id }, { $set: { leasedBy: owner, leasedUntil: this.after(leaseMs) } }, tx.options);
    return { namespace: found._id, askedById: found.askedById, requestId: found.requestId, pass: found.pass, removed: found.removed };
  }

  override hold(tx: MongoTx, { owner, leaseMs }: PurgeLease, job: PurgeJob): Promise<boolean> {
    return this.change(tx, owner, job, { $set: { leasedUntil: this.after(leaseMs), removed: job.removed } });
  }

  override async release(tx: MongoTx, owner: string, job: PurgeJob, delayMs: number): Promise<void> {
    await this.change(tx, owner, job, { $set: { dueAt: this.after(delayMs), pass: job.pass, removed: job.removed }, $unset: UNLEASED });
  }

  override finish(tx: MongoTx, owner: string, job: PurgeJob): Promise<boolean> {
    return this.change(tx, owner, job, { $set: { finishedAt: this.connection.now(), removed: job.removed }, $unset: { ...UNLEASED, dueAt: 1 } });
  }

  override async purgedOf(tx: MongoTx, namespaces: readonly string[]): Promise<string[]> {
    return (await purgesIn(tx).find({ _id: { $in: [...namespaces] } }, { ...tx.options, projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  }

  override unfinished(tx: MongoTx): Promise<number> {
    return purgesIn(tx).countDocuments({ dueAt: { $exists: true } }, tx.options);
  }

  private async change(tx: MongoTx, owner: string, { namespace }: PurgeJob, update: object): Promise<boolean> {
    await tx.touch(NAMESPACE_PURGES, [namespace]);
    const { matchedCount } = await purgesIn(tx).updateOne({ _id: namespace, leasedBy: owner, dueAt: { $exists: true } }, update, tx.options);
    return matchedCount === 1;
  }

  private after(ms: number): Date {
    return new Date(this.connection.now().getTime() + ms);
  }
}

const purgesIn = (tx: MongoTx) => tx.collection<PurgeDocument>(NAMESPACE_PURGES);
