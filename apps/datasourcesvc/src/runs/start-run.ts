import { Injectable } from '@nestjs/common';
import { keepAnswer, type RequestContext } from '@twinyard/auth';
import { invalidField, limitExceeded, outcomeOf, ServiceError } from '@twinyard/conventions';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { InstantRuns } from '../execution/instant-runs';
import { RunOrders } from '../execution/run-orders';
import { type Orchestrator, orchestratorTarget } from '../orchestrators/orchestrator.entity';
import { OrchestratorsService } from '../orchestrators/orchestrators.service';
import { indexOfUnknown, MAX_QUEUED, newRun, newSteps, toStarter } from './new-run';
import type { Run } from './run.entity';
import { type RunParamsDto, type StartRunDto, toStartedRunDto } from './run.dto';
import type { RunStep } from './run-step.entity';
import { RunsRepository, type StoredRun } from './runs.repository';
import { RunsService } from './runs.service';

@Injectable()
export class StartRun {
  constructor(
    private readonly orchestrators: OrchestratorsService,
    private readonly runs: RunsRepository,
    private readonly runsService: RunsService,
    private readonly instant: InstantRuns,
    private readonly orders: RunOrders,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async run(ctx: RequestContext, body: StartRunDto): Promise<StoredRun> {
    const orchestrator = await this.findOrchestrator(ctx, body.orchestratorId);
    ctx.access.require('RUN', orchestratorTarget(orchestrator.namespaces, orchestrator.id));
    const run = toRun(ctx, orchestrator);
    const steps = this.toSteps(run.id, orchestrator, body._actualParams ?? body._actualparams ?? []);
    if (!run.instant) return this.queue(ctx, { run, steps });
    const hasEnded = await this.instant.until(ctx, run, () => this.unitOfWork.run(async (tx) => {
      await this.hold(tx, run);
      await this.orders.make(tx, { run, steps }, ctx.origin);
    }));
    if (!hasEnded && (await this.isCancelled(ctx, run.id))) throw tooLong();
    return this.runsService.get(ctx, run.id);
  }

  private toSteps(runId: string, orchestrator: Orchestrator, overrides: readonly RunParamsDto[]): RunStep[] {
    const unknown = indexOfUnknown(orchestrator, overrides);
    if (unknown >= 0) throw invalidField(`_actualParams[${unknown}].sequence_type_id`, 'names no step of the orchestrator');
    this.orchestrators.requireFittingParams(orchestrator, overrides);
    return newSteps(runId, orchestrator, overrides);
  }

  /** Not where it has ended meanwhile. */
  private async isCancelled(ctx: RequestContext, id: string): Promise<boolean> {
    return !((await outcomeOf(this.runsService.cancel(ctx, id))) instanceof ServiceError);
  }

  /** @throws ServiceError `limit_exceeded`, or `invalid` when its orchestrator is gone */
  async queue(ctx: RequestContext, made: StoredRun): Promise<StoredRun> {
    await this.unitOfWork.run(async (tx) => {
      await this.hold(tx, made.run);
      await this.runs.lockQueues(tx, made.run.namespaces);
      if ((await this.runs.countQueued(tx, made.run.namespaces)) >= MAX_QUEUED) throw limitExceeded(`There are ${MAX_QUEUED} queued runs already`, 'orchestratorId');
      await this.orders.make(tx, made, ctx.origin);
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toStartedRunDto(made) }));
    });
    return made;
  }

  /** The specification lists 400 for what the body says, so an orchestrator that is not there is a bad field. */
  private async findOrchestrator(ctx: RequestContext, id: string): Promise<Orchestrator> {
    try {
      return await this.orchestrators.get(ctx, id);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') throw noOrchestrator();
      throw error;
    }
  }

  /** What is deleted meanwhile cancels its runs, of which this would not be one yet. */
  private async hold(tx: TypeOrmTx, { orchestratorId }: Run): Promise<void> {
    if (!(await this.orchestrators.hold(tx, orchestratorId))) throw noOrchestrator();
  }
}

const tooLong = () => new ServiceError('instant_timeout', 'The run takes longer than a request waits for an instant run, and is cancelled; without _instant it may take its time');
const noOrchestrator = () => invalidField('orchestratorId', 'names no orchestrator');

/** A run belongs to those namespaces of its orchestrator that the request names and in which the caller may run it. */
function toRun(ctx: RequestContext, orchestrator: Orchestrator): Run {
  const namespaces = orchestrator.namespaces.filter(
    (namespace) => ctx.namespaces.includes(namespace) && ctx.access.holds('RUN', orchestratorTarget([namespace], orchestrator.id)));
  return newRun(orchestrator, { namespaces, starter: toStarter(ctx.principal, 'run'), requestId: ctx.requestId, instant: orchestrator.instant });
}
