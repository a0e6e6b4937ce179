import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { RunOrders } from '../../execution/run-orders';
import { indexOfUnknown, MAX_QUEUED, newRun, newSteps } from '../../runs/new-run';
import { RunsRepository, type StoredRun } from '../../runs/runs.repository';
import type { Schedule } from '../schedule.entity';
import type { ScheduledOrchestrator } from '../schedules.repository';
import { RefusedRuns } from './refused-runs';

/** Contract 5: a schedule is switched off after so many runs in a row that its writer could not have started. */
const MOST_REFUSALS = 5;

/** The runs of a schedule, one for each due time. */
@Injectable()
export class DueRuns {
  constructor(
    private readonly runs: RunsRepository,
    private readonly orders: RunOrders,
    private readonly refused: RefusedRuns,
  ) {}

  /**
   * Of a schedule that is locked, and that counts here how often it was refused. `namespaces`: in which its writer may run the orchestrator.
   * Answers the first of the times whose run has to wait, since there are too many queued ones.
   */
  async make(tx: TypeOrmTx, scheduled: ScheduledOrchestrator, due: readonly Date[], namespaces: readonly string[]): Promise<Date | undefined> {
    const { schedule } = scheduled;
    for (const at of due) {
      if (!schedule.enabled) return undefined;
      if (!(await this.isToRun(tx, schedule, at))) continue;
      if (namespaces.length === 0) await this.refuse(tx, scheduled, at);
      else if (await this.hasRoom(tx, namespaces)) await this.queue(tx, scheduled, at, namespaces);
      else return at;
    }
    return undefined;
  }

  /** Not twice for one time, should clocks have been set back; nor beside another, where the schedule says so. */
  private async isToRun(tx: TypeOrmTx, { id, overlap }: Schedule, at: Date): Promise<boolean> {
    if (await this.runs.isMade(tx, id, at)) return false;
    return overlap !== 'SKIP' || !(await this.runs.isUnderWay(tx, id));
  }

  private async hasRoom(tx: TypeOrmTx, namespaces: readonly string[]): Promise<boolean> {
    await this.runs.lockQueues(tx, namespaces);
    return (await this.runs.countQueued(tx, namespaces)) < MAX_QUEUED;
  }

  private async queue(tx: TypeOrmTx, scheduled: ScheduledOrchestrator, at: Date, namespaces: readonly string[]): Promise<void> {
    const { schedule, orchestrator } = scheduled;
    const made = runFor(scheduled, at, namespaces);
    schedule.refusals = 0;
    if (indexOfUnknown(orchestrator, schedule.actualParams) >= 0) {
      return this.refused.make(tx, made, 'The _actualParams of the schedule name a step that the orchestrator does not have any more');
    }
    await this.orders.make(tx, made, { userId: made.run.starter.id, requestId: made.run.requestId });
  }

  private async refuse(tx: TypeOrmTx, scheduled: ScheduledOrchestrator, at: Date): Promise<void> {
    const { schedule, orchestrator } = scheduled;
    const { type, id } = schedule.writer;
    schedule.refusals += 1;
    schedule.enabled = schedule.refusals < MOST_REFUSALS;
    const why = `The schedule acts for the ${type} ${id}, who last wrote it and is gone, or may not run this orchestrator any more`;
    const end = schedule.enabled ? '' : `. It is switched off after ${MOST_REFUSALS} such runs in a row`;
    await this.refused.make(tx, runFor(scheduled, at, orchestrator.namespaces), why + end);
  }
}

/** It follows from no request: its events and log lines have an id of their own. */
function runFor({ schedule, orchestrator }: ScheduledOrchestrator, at: Date, namespaces: readonly string[]): StoredRun {
  const due = { scheduleId: schedule.id, scheduleDueAt: at, inTurn: schedule.overlap === 'QUEUE' };
  const run = newRun(orchestrator, { namespaces, starter: schedule.writer, requestId: newUuid(), instant: false, due });
  return { run, steps: newSteps(run.id, orchestrator, schedule.actualParams) };
}
