import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { type HeldJob, JobRunner } from '@twinyard/jobs';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { orchestratorUpdated } from '../../orchestrators/orchestrators.events';
import { namespaceOf, type Schedule, timingOf } from '../schedule.entity';
import { type ScheduledOrchestrator, SchedulesRepository } from '../schedules.repository';
import { DueRuns } from './due-runs';
import { dueTimes } from './missed-times';
import { SCHEDULE, type ScheduleOrder } from './schedule-job';
import { WritersRights } from './writers-rights';

/** For room in a queue: a quarter of the time that has passed, within these. */
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [1_000, 60_000];

/** Whoever caused what a schedule does to itself. */
const SERVICE = 'datasourcesvc';

interface Judged extends ScheduledOrchestrator {
  /** When it was looked at: what was due by then is done. */
  readonly at: Date;
  readonly namespaces: readonly string[];
}

/** Does what schedules are due for: the runs, the next due time and the order for that are one transaction, so that no end of a process makes a run twice or loses one. */
@Injectable()
export class ScheduleWorker implements OnModuleInit {
  constructor(
    private readonly runner: JobRunner,
    private readonly schedules: SchedulesRepository,
    private readonly rights: WritersRights,
    private readonly runs: DueRuns,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.runner.handle<ScheduleOrder, TypeOrmTx>(SCHEDULE, { run: (held) => this.work(held) });
  }

  private async work(held: HeldJob<ScheduleOrder, TypeOrmTx>): Promise<void> {
    const judged = await this.judge(held.payload);
    await this.unitOfWork.run((tx) => (judged === undefined ? held.finish(tx) : this.turn(tx, held, judged)));
  }

  /** Before the transaction: another service is asked. */
  private async judge({ scheduleId }: ScheduleOrder): Promise<Judged | undefined> {
    const seen = await this.unitOfWork.run(async (tx) => {
      const scheduled = await this.schedules.look(tx, scheduleId);
      return scheduled && { ...scheduled, at: await this.schedules.now(tx) };
    });
    if (seen === undefined) return undefined;
    const { nextDueAt } = seen.schedule;
    const isDue = nextDueAt !== null && nextDueAt.getTime() <= seen.at.getTime();
    return { ...seen, namespaces: isDue ? await this.rights.namespacesOf(seen) : [] };
  }

  private async turn(tx: TypeOrmTx, held: HeldJob<ScheduleOrder, TypeOrmTx>, judged: Judged): Promise<void> {
    const scheduled = await this.schedules.lock(tx, held.payload.scheduleId);
    if (scheduled === undefined || scheduled.schedule.nextDueAt === null || !isOf(held, scheduled.schedule)) return held.finish(tx);
    // Somebody has written it meanwhile: the rights are another's.
    if (!isSame(judged.schedule, scheduled.schedule)) return held.continueWith(tx, held.payload, 0);
    const waiting = await this.makeRuns(tx, scheduled, judged);
    const { nextDueAt } = scheduled.schedule;
    if (nextDueAt === null) return held.finish(tx);
    const ms = nextDueAt.getTime() - (await this.schedules.now(tx)).getTime();
    await held.continueWith(tx, held.payload, waiting ? patienceMs(-ms) : Math.max(0, ms));
  }

  /** Whether some have to wait for room. */
  private async makeRuns(tx: TypeOrmTx, scheduled: ScheduledOrchestrator, { at, namespaces }: Judged): Promise<boolean> {
    const { schedule, orchestrator } = scheduled;
    if (schedule.nextDueAt === null) return false;
    const { due, behind } = dueTimes(timingOf(schedule), schedule.catchUp, schedule.nextDueAt, at);
    const waiting = await this.runs.make(tx, scheduled, due, namespaces);
    schedule.nextDueAt = schedule.enabled ? (waiting ?? behind ?? null) : null;
    await this.schedules.saveTurn(tx, schedule);
    if (!schedule.enabled) await this.outbox.append(tx, orchestratorUpdated({ origin: { userId: SERVICE, requestId: newUuid() } }, orchestrator));
    return waiting !== undefined;
  }
}

/** For one that is in another namespace by now there is another job. */
const isOf = ({ namespace }: HeldJob<ScheduleOrder, TypeOrmTx>, schedule: Schedule) => namespace === namespaceOf(schedule);

/** Apart from what its turns change. */
const isSame = (one: Schedule, other: Schedule) => one.updatedAt.getTime() === other.updatedAt.getTime() && one.updatedById === other.updatedById;

const patienceMs = (lateMs: number) => Math.round(Math.min(Math.max(lateMs / 4, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
