import { Binary, type Collection, MongoServerError } from 'mongodb';
import type { MongoCollections, MongoConnection } from '../mongo/mongo-connection';
import { MongoTx } from '../mongo/mongo-tx';
import { translated, translateStoreError } from '../store-errors';
import type { Tx } from '../tx';
import { type AnswerClaim, AnswerStore, claimLost, type NewClaim } from './answer-store';

const ANSWERS = 'kept_answers';
const DUPLICATE_KEY = 11_000;

interface AnswerDocument {
  _id: string;
  owner: string;
  fingerprint: string;
  leasedUntil: Date;
  claimedAt: Date;
  sealed?: Binary;
}

/** For `MongoModule.forRoot({ collections })`. */
export const KEPT_ANSWERS_COLLECTIONS: MongoCollections = { [ANSWERS]: [{ key: { claimedAt: 1 }, name: 'claimed' }] };

/** In the service's own MongoDB database; each step is a single atomic operation. */
export class MongoAnswerStore extends AnswerStore {
  private readonly answers: Collection<AnswerDocument>;

  constructor(private readonly connection: MongoConnection) {
    super();
    this.answers = connection.db.collection<AnswerDocument>(ANSWERS);
  }

  override async claim(claim: NewClaim): Promise<AnswerClaim> {
    for (;;) {
      if ((await this.insert(claim)) || (await this.takeOver(claim))) return { state: 'mine' };
      const found = await translated(this.answers.findOne({ _id: claim.id }));
      // Released between the steps: whoever comes first has it.
      if (!found) continue;
      const { fingerprint, sealed } = found;
      return sealed === undefined ? { state: 'running', fingerprint } : { state: 'answered', fingerprint, sealed: Buffer.from(sealed.value()) };
    }
  }

  override async renew(id: string, owner: string, leaseMs: number): Promise<void> {
    await translated(this.answers.updateOne({ _id: id, owner }, { $set: { leasedUntil: this.after(leaseMs) } }));
  }

  override async keep(id: string, owner: string, sealed: Buffer): Promise<void> {
    await translated(this.answers.updateOne({ _id: id, owner }, { $set: { sealed: new Binary(sealed) } }));
  }

  override async keepIn(tx: Tx, id: string, owner: string, sealed: Buffer): Promise<void> {
    if (!(tx instanceof MongoTx)) throw new Error('Answers are kept in a transaction of MongoDB here');
    await tx.touch(ANSWERS, [id]);
    const { matchedCount } = await tx.collection<AnswerDocument>(ANSWERS).updateOne({ _id: id, owner }, { $set: { sealed: new Binary(sealed) } }, tx.options);
    if (matchedCount === 0) throw claimLost();
  }

  override async release(id: string, owner: string): Promise<void> {
    await translated(this.answers.deleteOne({ _id: id, owner, sealed: { $exists: false } }));
  }

  override async prune(before: Date): Promise<void> {
    await translated(this.answers.deleteMany({ claimedAt: { $lt: before } }));
  }

  private async insert({ id, owner, fingerprint, leaseMs }: NewClaim): Promise<boolean> {
    try {
      await this.answers.insertOne({ _id: id, owner, fingerprint, leasedUntil: this.after(leaseMs), claimedAt: this.connection.now() });
      return true;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw translateStoreError(error);
    }
  }

  private async takeOver({ id, owner, fingerprint, leaseMs, since }: NewClaim): Promise<boolean> {
    const isOpen = { sealed: { $exists: false } };
    const isFree = { _id: id, $or: [{ ...isOpen, leasedUntil: { $lt: this.connection.now() } }, { ...isOpen, owner }, { claimedAt: { $lt: since } }] };
    const mine = { owner, fingerprint, leasedUntil: this.after(leaseMs), claimedAt: this.connection.now() };
    const { matchedCount } = await translated(this.answers.updateOne(isFree, { $set: mine, $unset: { sealed: 1 } }));
    return matchedCount === 1;
  }

  private after(ms: number): Date {
    return new Date(this.connection.now().getTime() + ms);
  }
}
