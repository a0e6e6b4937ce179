import { Injectable } from '@nestjs/common';
import { keepAnswer, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { authoredBy, invalidField, newUuid, notFound, type Paging, ServiceError, type Slice } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { type Orchestrator, orchestratorTarget } from '../orchestrators/orchestrator.entity';
import { orchestratorUpdated } from '../orchestrators/orchestrators.events';
import { OrchestratorsService } from '../orchestrators/orchestrators.service';
import { toStarter } from '../runs/new-run';
import { ScheduleOrders } from './due-runs/schedule-orders';
import { dueAfter } from './due-times';
import { type CreateScheduleDto, type PutScheduleDto, toScheduleDto } from './schedule.dto';
import { parseSchedule, type ScheduleDraft } from './schedule-draft';
import { hasSameTiming, Schedule, timingOf } from './schedule.entity';
import { writtenBy } from './schedule-writer';
import { SchedulesRepository } from './schedules.repository';

@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly orchestrators: OrchestratorsService,
    private readonly orders: ScheduleOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  list(ctx: RequestContext, paging: Paging): Promise<Slice<Schedule>> {
    return this.schedules.list(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), paging);
  }

  async get(ctx: RequestContext, id: string): Promise<Schedule> {
    const schedule = await this.schedules.find(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), id);
    if (schedule === undefined) throw notFound('schedule', id);
    return schedule;
  }

  async create(ctx: RequestContext, body: CreateScheduleDto): Promise<Schedule> {
    const orchestrator = await this.findOrchestrator(ctx, body._orchid);
    const namespaces = reachOf(ctx, orchestrator);
    const draft = parseSchedule(body, orchestrator);
    this.orchestrators.requireFittingParams(orchestrator, draft.actualParams);
    const made: Schedule = Object.assign(new Schedule(), draft, authoredBy(ctx.callerId), {
      id: newUuid(), orchestratorId: orchestrator.id, namespaces, writer: toStarter(ctx.principal, 'schedule'), refusals: 0, nextDueAt: null,
    });
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.orchestrators.hold(tx, orchestrator.id))) throw noOrchestrator();
      made.nextDueAt = await this.firstDue(tx, draft);
      await this.schedules.insert(tx, made);
      await this.orders.order(tx, made);
      await this.outbox.append(tx, orchestratorUpdated(ctx, orchestrator));
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toScheduleDto(made) }));
    });
    return made;
  }

  /** It acts in the caller's name from now on. */
  async update(ctx: RequestContext, id: string, body: PutScheduleDto): Promise<Schedule> {
    const stored = await this.get(ctx, id);
    const orchestrator = await this.orchestrators.get(ctx, stored.orchestratorId);
    const reach = reachOf(ctx, orchestrator);
    if (body._orchid && body._orchid !== stored.orchestratorId) throw invalidField('_orchid', 'stays as it was');
    const draft = parseSchedule(body, orchestrator, stored);
    if (body._actualParams) this.orchestrators.requireFittingParams(orchestrator, draft.actualParams);
    // What lies outside of nsfilter is not the request's business and stays.
    const kept = stored.namespaces.filter((namespace) => reach.includes(namespace) || !ctx.namespaces.includes(namespace));
    const namespaces = [...kept, ...reach.filter((namespace) => !kept.includes(namespace))];
    const written = { ...draft, namespaces, ...writtenBy(ctx) };
    return this.unitOfWork.run(async (tx) => {
      const now = await this.schedules.lock(tx, id);
      if (now === undefined) throw notFound('schedule', id);
      const changed = Object.assign(new Schedule(), now.schedule, written, { nextDueAt: await this.nextDue(tx, draft, now.schedule) });
      await this.schedules.update(tx, changed);
      await this.orders.order(tx, changed);
      await this.outbox.append(tx, orchestratorUpdated(ctx, now.orchestrator));
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toScheduleDto(changed) }));
      return changed;
    });
  }

  /** Its runs stay; those that wait go on. */
  async remove(ctx: RequestContext, id: string): Promise<void> {
    const stored = await this.get(ctx, id);
    reachOf(ctx, await this.orchestrators.get(ctx, stored.orchestratorId));
    await this.unitOfWork.run(async (tx) => {
      const now = await this.schedules.lock(tx, id);
      if (now === undefined) throw notFound('schedule', id);
      await this.schedules.remove(tx, id);
      await this.orders.end(tx, now.schedule);
      await this.outbox.append(tx, orchestratorUpdated(ctx, now.orchestrator));
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
  }

  /** As with the start of a run, one that is not there is a bad field. */
  private async findOrchestrator(ctx: RequestContext, id: string): Promise<Orchestrator> {
    try {
      return await this.orchestrators.get(ctx, id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw noOrchestrator();
      throw error;
    }
  }

  /** What was promised stands while its times are the same; unless a clock that was wrong had it promise more than comes. */
  private async nextDue(tx: TypeOrmTx, draft: ScheduleDraft, { nextDueAt: promised, ...before }: Schedule): Promise<Date | null> {
    const first = await this.firstDue(tx, draft);
    return first !== null && promised !== null && promised < first && hasSameTiming(draft, before) ? promised : first;
  }

  private async firstDue(tx: TypeOrmTx, draft: ScheduleDraft): Promise<Date | null> {
    if (!draft.enabled) return null;
    const now = await this.schedules.now(tx);
    return dueAfter(timingOf(draft), now, now) ?? null;
  }
}

const noOrchestrator = () => invalidField('_orchid', 'names no orchestrator');

/** The namespaces of the request in which the caller holds what a schedule needs (contract 0.4). @throws ServiceError `forbidden` where there is none */
function reachOf(ctx: RequestContext, { namespaces, id }: Orchestrator): string[] {
  const missing = (within: readonly string[]) => (['EDIT', 'RUN'] as const).find((action) => !ctx.access.holds(action, orchestratorTarget(within, id)));
  const reach = namespaces.filter((namespace) => ctx.namespaces.includes(namespace) && missing([namespace]) === undefined);
  if (reach.length === 0) throw ctx.access.denial([missing(namespaces) ?? 'RUN'], orchestratorTarget(namespaces, id));
  return reach;
}
