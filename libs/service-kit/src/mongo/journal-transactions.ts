import { unavailable } from '@twinyard/conventions';
import type { Db } from 'mongodb';
import { isConnectionLost } from '../store-errors';
import type { MongoConnection } from './mongo-connection';
import { hasWaitedForServer } from './mongo-errors';
import { MongoTransactions } from './mongo-transactions';
import { type MongoId, MongoTx } from './mongo-tx';
import { keyOf, UndoJournal } from './undo-journal';
import { type Hold, WriterLock } from './writer-lock';

const LEASE_MS = 6_000;
const WAIT_MS = 30_000;

class JournalTx extends MongoTx {
  override readonly options = {};
  private readonly touched = new Set<string>();

  constructor(db: Db, private readonly hold: Hold, private readonly lock: WriterLock, private readonly journal: UndoJournal) {
    super(db);
  }

  get hasTouched(): boolean {
    return this.touched.size > 0;
  }

  override async touch(collection: string, ids: readonly MongoId[]): Promise<void> {
    await this.lock.assertHeld(this.hold);
    const fresh = ids.filter((id) => this.isFirst(`${collection} ${keyOf(id)}`));
    await this.journal.note(this.hold.fence, collection, fresh);
  }

  private isFirst(key: string): boolean {
    const { size } = this.touched;
    return this.touched.add(key).size > size;
  }
}

/** A transaction within a transaction waits for itself: that ends here too. */
async function withinTime(turn: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(unavailable('Too many writers wait for the database')), WAIT_MS);
  });
  await Promise.race([turn, late]).finally(() => clearTimeout(timer));
}

/**
 * Transactions without the server's help, for tests on a standalone one: one writer at a time, and a journal of what each document
 * was. The commit is one atomic change of the lock; what a holder has left without it is undone by the next.
 */
export class JournalTransactions extends MongoTransactions {
  private readonly journal: UndoJournal;
  private readonly lock: WriterLock;
  /** Ends when the last transaction in the queue does: the writers of a process need not ask the server whose turn it is. */
  private last: Promise<void> = Promise.resolve();
  private installed = false;
  /** How many have waited for a server that was away, and what the latest heard. */
  private readonly away: { times: number; error: unknown } = { times: 0, error: undefined };

  constructor(private readonly connection: MongoConnection, leaseMs = LEASE_MS) {
    super();
    this.journal = new UndoJournal(connection.db);
    this.lock = new WriterLock(connection.db, { leaseMs, waitMs: WAIT_MS });
  }

  override async attempt<R>(work: (tx: MongoTx) => Promise<R>): Promise<R> {
    const before = this.last;
    const heard = this.away.times;
    let leave = (): void => undefined;
    const mine = new Promise<void>((resolve) => (leave = resolve));
    this.last = before.then(() => mine);
    try {
      await withinTime(before);
      // Who was before us has waited for the server as long as one does; all behind it would add theirs up.
      if (this.away.times > heard) throw this.away.error;
      return await this.take(work);
    } catch (error) {
      if (hasWaitedForServer(error) && error !== this.away.error) Object.assign(this.away, { times: this.away.times + 1, error });
      throw error;
    } finally {
      leave();
    }
  }

  private async take<R>(work: (tx: MongoTx) => Promise<R>): Promise<R> {
    await this.install();
    const hold = await this.lock.acquire();
    try {
      await this.undoEarlier(hold);
      const tx = new JournalTx(this.connection.db, hold, this.lock, this.journal);
      const result = await work(tx);
      await this.commit(hold, tx);
      return result;
    } catch (error) {
      await this.rollBack(hold, error);
      throw error;
    } finally {
      this.lock.forget();
    }
  }

  private async install(): Promise<void> {
    if (this.installed) return;
    await this.journal.install();
    this.installed = true;
  }

  private async undoEarlier(hold: Hold): Promise<void> {
    if (hold.settled === hold.fence - 1) return;
    await this.journal.undo(hold.settled + 1, hold.fence - 1);
    await this.lock.settleEarlier(hold);
  }

  private async commit(hold: Hold, tx: JournalTx): Promise<void> {
    await this.lock.commit(hold);
    // Committed: an entry that stays is passed over by whoever undoes, and nobody waits for it.
    if (tx.hasTouched) await this.journal.forget(hold.fence, hold.fence).catch(() => undefined);
  }

  /** What cannot be undone now, because the server or the lease is lost, is undone by the next holder. */
  private async rollBack(hold: Hold, error: unknown): Promise<void> {
    if (isConnectionLost(error) || (error instanceof Error && isConnectionLost(error.cause))) return;
    try {
      await this.lock.renew(hold);
      await this.journal.undo(hold.fence, hold.fence);
      await this.lock.release(hold);
    } catch {
      // See above; the caller wants to hear of the first fault.
    }
  }
}
