import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { Run } from '../runs/run.entity';
import { OPEN_STATES } from '../runs/run-state';
import { RunOrders } from './run-orders';

const EVERY_MS = 60_000;
const BATCH = 500;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Those that nobody holds. A replica of the release before takes none whose lease never ends. */
const ADOPT = `UPDATE orchestrator_run SET lease_until = 'infinity', lease_token = lease_token + 1 WHERE state = ANY($1) AND (lease_until IS NULL OR lease_until < clock_timestamp())`;

const OPEN = `
  SELECT id, namespaces, instant, request_id AS "requestId" FROM orchestrator_run WHERE state = ANY($1) AND lease_until = 'infinity' AND id > $2 ORDER BY id LIMIT ${BATCH}`;

type Open = Pick<Run, 'id' | 'namespaces' | 'instant' | 'requestId'>;

/** Sees to it that each run that has not ended has a job: one that a replica of the release before has left, or one that lost its job to the purge of one of its namespaces. */
@Injectable()
export class LeftOverRuns implements OnModuleInit {
  constructor(
    private readonly schedules: Schedules,
    private readonly orders: RunOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.schedules.every('datasourcesvc.left-over-runs', { everyMs: EVERY_MS, atStart: true }, (signal) => this.order(signal));
  }

  private async order(signal: AbortSignal): Promise<void> {
    await this.unitOfWork.run((tx) => tx.query(ADOPT, [OPEN_STATES]));
    let last: string | undefined = NIL;
    while (last !== undefined && !signal.aborted) last = await this.unitOfWork.run((tx) => this.orderBehind(tx, last as string));
  }

  /** The last of them, if there may be more. */
  private async orderBehind(tx: TypeOrmTx, id: string): Promise<string | undefined> {
    const open = await tx.query<Open>(OPEN, [OPEN_STATES, id]);
    for (const run of open) await this.orders.ensure(tx, run);
    return open.length === BATCH ? open.at(-1)?.id : undefined;
  }
}
