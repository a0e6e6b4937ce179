import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { RunQueue } from '../run-queue/run-queue';
import type { RunLimits } from '../run-queue/run-queue.repository';
import { RunCancellation } from '../runs/run-cancellation';
import { ScheduleOrders } from '../schedules/due-runs/schedule-orders';
import type { Schedule } from '../schedules/schedule.entity';
import { takenOver } from '../schedules/schedule-writer';
import { SchedulesRepository } from '../schedules/schedules.repository';
import type { Orchestrator } from './orchestrator.entity';

/** What becomes of the runs and the schedule of an orchestrator that is changed or deleted, by whoever has locked it. */
@Injectable()
export class OrchestratorWork {
  constructor(
    private readonly cancellation: RunCancellation,
    private readonly queue: RunQueue,
    private readonly schedules: SchedulesRepository,
    private readonly orders: ScheduleOrders,
  ) {}

  /** Runs that wait begin where it is paused no longer, or may have more under way. Resolves with its schedule. @throws ServiceError `forbidden` where the caller may not have a schedule do what it now does */
  async follow(ctx: RequestContext, tx: TypeOrmTx, before: Orchestrator, changed: Orchestrator): Promise<Schedule | undefined> {
    const schedule = await this.schedules.lockOf(tx, changed.id);
    const taken = schedule && takenOver(ctx, schedule, before, changed);
    if (taken) await this.schedules.update(tx, taken);
    const isOpened = (before.paused && !changed.paused) || mostOf(changed) > mostOf(before);
    if (isOpened) await this.queue.reconsider(tx, changed.id);
    return taken ?? schedule;
  }

  /** Of one that is about to be deleted. */
  async endSchedule(tx: TypeOrmTx, orchestratorId: string): Promise<void> {
    const schedule = await this.schedules.lockOf(tx, orchestratorId);
    if (schedule === undefined) return;
    await this.schedules.remove(tx, schedule.id);
    await this.orders.end(tx, schedule);
  }

  /** Of one that is deleted, so that none of them makes room for another. */
  cancelRuns(tx: TypeOrmTx, orchestratorId: string, origin: EventOrigin): Promise<void> {
    return this.cancellation.cancelOf(tx, orchestratorId, origin);
  }
}

const mostOf = ({ maxConcurrent }: RunLimits) => maxConcurrent ?? Number.POSITIVE_INFINITY;
