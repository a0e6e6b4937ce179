import { EventEmitter, once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { type GrantSyncRequest, type GrantSyncResponse, type InvalidationKey, type KeepAnswer, SYNC_HOLD_MS } from '@twinyard/auth';
import { signalWithin, TypeOrmUnitOfWork, type TypeOrmTx } from '@twinyard/service-kit';
import { LivingOwners } from '../ownership/living-owners';
import { GrantChangeListener } from './grant-change-listener';
import { GrantFeedRepository } from './grant-feed.repository';

/** How often the wait for acknowledgements looks at the database, for those that other replicas received. */
const RECHECK_MS = 15;

export interface GrantChange<R> {
  readonly result: R;
  /** What the change makes stale in the caches of the services; empty when it changes nobody's rights. */
  readonly keys: readonly InvalidationKey[];
}

/**
 * The change feed of grants. Contract 0.4: a changed grant is in force in every service when the call that changed it has
 * returned. So a change commits together with its number, and `commit` returns when every instance that holds a lease has
 * acknowledged that number; an instance that is gone or cut off lets its lease run out and serves nothing from memory.
 */
@Injectable()
export class GrantFeed {
  private readonly acknowledgements = new EventEmitter().setMaxListeners(0);

  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly repository: GrantFeedRepository,
    private readonly listener: GrantChangeListener,
    private readonly owners: LivingOwners,
  ) {}

  /**
   * Runs `work` in a transaction and returns when what it changed is in force everywhere. `work` may run twice. `keep`: of the request's answer, in that transaction.
   *
   * @throws LastOwnerError when it would leave a namespace to nobody.
   */
  async commit<R>(work: (tx: TypeOrmTx) => Promise<GrantChange<R>>, keep?: KeepAnswer<R>): Promise<R> {
    const { result, seq } = await this.unitOfWork.run(async (tx) => {
      const { keys, result: done } = await work(tx);
      const number = await this.append(tx, keys);
      await keep?.(tx, done);
      return { result: done, seq: number };
    });
    if (seq !== undefined) await this.settled(seq);
    return result;
  }

  /** Returns when all that was committed before is in force everywhere. */
  async inForce(): Promise<void> {
    await this.settled(await this.repository.currentSeq());
  }

  /**
   * Answers at once when there is something to apply, else when something changes, at the latest after the hold; calls
   * `onUpToDate` before it holds. The order is the point: changes are read after the lease is committed, so a change that
   * was not read waits for this instance.
   */
  async sync(request: GrantSyncRequest, onUpToDate: () => void): Promise<GrantSyncResponse> {
    const nextChange = this.listener.next(signalWithin(SYNC_HOLD_MS));
    await this.repository.renew(request);
    this.acknowledgements.emit('ack');
    if (request.acked < 0) {
      await this.repository.prune();
      return { seq: await this.repository.currentSeq(), reset: true, keys: [] };
    }
    const changes = await this.changesFor(request.acked);
    if (changes.reset || changes.seq > request.acked) return changes;
    onUpToDate();
    // Nothing heard, nothing read: should a notice have been lost, the next request finds the change when it begins.
    return (await nextChange) ? this.changesFor(request.acked) : changes;
  }

  /** Ends what is held; for a stop, which need not wait for it. */
  interrupt(): void {
    this.listener.announce();
  }

  /** The number of the change; `undefined` where it changes nobody's rights. */
  private async append(tx: TypeOrmTx, keys: readonly InvalidationKey[]): Promise<number | undefined> {
    if (keys.length === 0 && !this.owners.isAsked(tx)) return undefined;
    await this.repository.takeTurn(tx);
    await this.owners.require(tx);
    return keys.length === 0 ? undefined : this.repository.append(tx, keys);
  }

  private async changesFor(acked: number): Promise<GrantSyncResponse> {
    const { seq, oldest, keys } = await this.repository.changesAfter(acked);
    const missed = acked > seq || acked + 1 < oldest;
    return { seq, reset: missed, keys: missed ? [] : keys };
  }

  /** Ends by itself: an instance either acknowledges or stops renewing its lease. */
  private async settled(seq: number): Promise<void> {
    while (await this.repository.isAwaited(seq)) {
      await once(this.acknowledgements, 'ack', { signal: signalWithin(RECHECK_MS) }).catch(() => undefined);
    }
  }
}
