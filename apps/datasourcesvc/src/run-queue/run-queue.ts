import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { RunOrders } from '../execution/run-orders';
import type { Run } from '../runs/run.entity';
import { RunQueueRepository } from './run-queue.repository';

/** The first may have been cancelled meanwhile. */
const WOKEN_BY_AN_END = 2;
const MOST_WOKEN = 1_000;

/** Runs that wait since their orchestrator is paused, or has as many under way as it may, or since earlier ones of their schedule have not ended. Their jobs lie until they are woken, in the transaction that makes room. */
@Injectable()
export class RunQueue {
  constructor(
    private readonly queue: RunQueueRepository,
    private readonly orders: RunOrders,
  ) {}

  /** Of a run that nobody has begun. Where it may begin, no other of its orchestrator does before the transaction ends. */
  async mustWait(tx: TypeOrmTx, { id, orchestratorId, inTurn }: Run): Promise<boolean> {
    if (inTurn && (await this.queue.isBehind(tx, id))) return true;
    const limits = await this.queue.limitsOf(tx, orchestratorId);
    if (limits === undefined || limits.paused) return limits !== undefined;
    return limits.maxConcurrent !== null && (await this.queue.countUnderWay(tx, orchestratorId)) >= limits.maxConcurrent;
  }

  /** A run of it has ended, or is gone. */
  async hasRoom(tx: TypeOrmTx, orchestratorId: string): Promise<void> {
    for (const run of await this.queue.nextThatWaited(tx, orchestratorId, WOKEN_BY_AN_END)) await this.orders.wake(tx, run);
  }

  /** Its limits have changed. */
  async reconsider(tx: TypeOrmTx, orchestratorId: string): Promise<void> {
    for (const run of await this.queue.next(tx, orchestratorId, MOST_WOKEN)) await this.orders.wake(tx, run);
  }
}
