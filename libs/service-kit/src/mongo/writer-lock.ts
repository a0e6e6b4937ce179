import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@twinyard/conventions';
import type { Collection, Db } from 'mongodb';
import { isDuplicateKey, LostRace } from './mongo-errors';

export const LOCK_COLLECTION = 'twinyard_writer';

/** The one document: who writes, until when, and how far transactions have come. */
export interface WriterLockDocument {
  _id: 'writer';
  owner: string | null;
  until: Date;
  /** Number of the latest transaction; a holder that was taken over is known by its old number. */
  fence: number;
  /** Up to this one every transaction is committed or undone. */
  settled: number;
  /** The latest that was committed. */
  committed: number;
  /** Who is to have the lock next, so that a busy process does not keep it from the others, and until when that is kept for it. */
  next: string | null;
  nextUntil: Date;
}

export interface WriterLockOptions {
  readonly leaseMs: number;
  /** How long one waits for the others. */
  readonly waitMs: number;
}

const POLL_MS = 8;
const KEPT_FOR_NEXT_MS = 100;

/** A hold on the lock, for one transaction. */
export interface Hold {
  readonly fence: number;
  /** Transactions after this one and before `fence` ended without a word: their journal is to be undone first. */
  readonly settled: number;
}

/**
 * One writer at a time among all processes on a database. The lease is renewed while it is held; whoever finds it run out takes
 * over. Leases are compared by the clocks of the processes, since a standalone server is for tests on one machine.
 */
export class WriterLock {
  private readonly owner = randomUUID();
  private readonly locks: Collection<WriterLockDocument>;
  private heartbeat: NodeJS.Timeout | undefined;
  private renewedAt = 0;

  constructor(db: Db, private readonly options: WriterLockOptions) {
    this.locks = db.collection<WriterLockDocument>(LOCK_COLLECTION);
  }

  /** Takes the lock, perhaps from a holder that died. Only one at a time may ask, hold and settle in a process. */
  async acquire(): Promise<Hold> {
    const deadline = Date.now() + this.options.waitMs;
    for (;;) {
      const asked = performance.now();
      const lock = await this.tryAcquire();
      if (lock) {
        const hold = { fence: lock.fence, settled: lock.settled };
        this.keep(hold, asked);
        return hold;
      }
      if (Date.now() > deadline) throw unavailable('Too many writers wait for the database');
      await this.install();
      await this.comeNext();
      await delay(POLL_MS + Math.random() * POLL_MS);
    }
  }

  /** Rejects when the lease was lost. To be asked before each write, which then has at least a third of the lease to arrive. */
  async assertHeld(hold: Hold): Promise<void> {
    if (performance.now() - this.renewedAt > (this.options.leaseMs * 2) / 3) await this.renew(hold);
  }

  /** Begins the lease anew; rejects when it was lost. */
  async renew({ fence }: Hold): Promise<void> {
    const asked = performance.now();
    await this.change(fence, { until: new Date(Date.now() + this.options.leaseMs) });
    this.renewedAt = asked;
  }

  /** The transactions that died before this one are undone. */
  async settleEarlier({ fence }: Hold): Promise<void> {
    await this.change(fence, { settled: fence - 1 });
  }

  /** One atomic change: the transaction is committed, and the lock is free. */
  async commit({ fence }: Hold): Promise<void> {
    this.forget();
    const settle = () => this.change(fence, { owner: null, settled: fence, committed: fence });
    // When the answer is lost, the second try finds either the same lock or that the first try has freed it.
    await settle().catch(async (error: unknown) => {
      if (error instanceof LostRace) throw error;
      await settle().catch(async (again: unknown) => {
        const lock = again instanceof LostRace ? await this.locks.findOne({ _id: 'writer' }) : null;
        if (lock?.committed !== fence) throw error;
      });
    });
  }

  /** The transaction is undone, and the lock is free. */
  async release({ fence }: Hold): Promise<void> {
    this.forget();
    await this.change(fence, { owner: null, settled: fence });
  }

  /** Leaves the lock to whoever finds its lease run out, this process among them. */
  forget(): void {
    clearInterval(this.heartbeat);
  }

  private async tryAcquire(): Promise<WriterLockDocument | null> {
    const { owner } = this;
    const now = new Date();
    const $set = { owner, until: new Date(now.getTime() + this.options.leaseMs), next: null };
    const free = { owner: null, $or: [{ next: { $in: [null, owner] } }, { nextUntil: { $lt: now } }] };
    // What this process left behind itself, when it lost the server, need not wait for the end of the lease.
    const $or = [free, { owner }, { owner: { $ne: null }, until: { $lt: now } }];
    return this.locks.findOneAndUpdate({ _id: 'writer', $or }, { $set, $inc: { fence: 1 } }, { returnDocument: 'after' });
  }

  /** The document is made by whoever misses it first. */
  private async install(): Promise<void> {
    await this.locks.updateOne({ _id: 'writer' }, { $setOnInsert: FIRST }, { upsert: true }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }

  private async comeNext(): Promise<void> {
    const now = new Date();
    const nobody = [{ next: { $in: [null, this.owner] } }, { nextUntil: { $lt: now } }];
    await this.locks.updateOne({ _id: 'writer', $or: nobody }, { $set: { next: this.owner, nextUntil: new Date(now.getTime() + KEPT_FOR_NEXT_MS) } });
  }

  private keep(hold: Hold, since: number): void {
    this.renewedAt = since;
    this.heartbeat = setInterval(() => void this.renew(hold).catch(() => undefined), this.options.leaseMs / 4);
    this.heartbeat.unref();
  }

  private async change(fence: number, $set: Partial<WriterLockDocument>): Promise<void> {
    const { matchedCount } = await this.locks.updateOne({ _id: 'writer', owner: this.owner, fence }, { $set });
    if (matchedCount === 0) throw new LostRace('Another process has taken the writers\' lock over');
  }
}

const LONG_AGO = new Date(0);
const FIRST: Omit<WriterLockDocument, '_id'> = { owner: null, until: LONG_AGO, fence: 0, settled: 0, committed: 0, next: null, nextUntil: LONG_AGO };
