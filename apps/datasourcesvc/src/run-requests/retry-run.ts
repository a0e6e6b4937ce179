import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalidField, newUuid, outcomeOf, ServiceError } from '@twinyard/conventions';
import { type Orchestrator, orchestratorTarget } from '../orchestrators/orchestrator.entity';
import { OrchestratorsService } from '../orchestrators/orchestrators.service';
import { toStarter } from '../runs/new-run';
import { Run } from '../runs/run.entity';
import type { RunState } from '../runs/run-state';
import { RunStep } from '../runs/run-step.entity';
import type { StoredRun } from '../runs/runs.repository';
import { RunsService } from '../runs/runs.service';
import { StartRun } from '../runs/start-run';

const RETRIABLE: readonly RunState[] = ['ERROR', 'CANCELLED'];

@Injectable()
export class RetryRun {
  constructor(
    private readonly runs: RunsService,
    private readonly orchestrators: OrchestratorsService,
    private readonly startRun: StartRun,
  ) {}

  /** A new run of the caller's, of the steps as they were, which goes on at the one that did not complete. */
  async run(ctx: RequestContext, id: string): Promise<StoredRun> {
    const ended = await this.runs.get(ctx, id);
    const { run } = ended;
    ctx.access.require('RUN', orchestratorTarget(run.namespaces, run.orchestratorId));
    if (!RETRIABLE.includes(run.state)) throw invalidField('id', `must be a run that has failed or was cancelled: it is ${run.state}`);
    const { namespaces: present } = await this.orchestratorOf(ctx, run);
    const namespaces = run.namespaces.filter((namespace) => present.includes(namespace) && ctx.access.holds('RUN', orchestratorTarget([namespace], run.orchestratorId)));
    if (namespaces.length === 0) throw ctx.access.denial(['RUN'], orchestratorTarget(run.namespaces, run.orchestratorId));
    return this.startRun.queue(ctx, goingOn(ctx, ended, namespaces));
  }

  /** Old tasks get no profile that was attached since, and none that was taken away is used again. */
  private async orchestratorOf(ctx: RequestContext, run: Run): Promise<Orchestrator> {
    const orchestrator = await outcomeOf(this.orchestrators.get(ctx, run.orchestratorId));
    if (orchestrator instanceof ServiceError) throw invalidField('id', 'is a run whose orchestrator is gone');
    if (orchestrator.permissionProfileId !== run.permissionProfileId) throw invalidField('id', 'is a run whose orchestrator has another permission profile since then: start a new run');
    return orchestrator;
  }
}

function goingOn(ctx: RequestContext, { run, steps }: StoredRun, namespaces: string[]): StoredRun {
  const [id, at] = [newUuid(), new Date()];
  return {
    run: Object.assign(new Run(), run, {
      id, namespaces, retryOf: run.id, state: 'QUEUED' as const, result: null, instant: false, starter: toStarter(ctx.principal, 'run'), requestId: ctx.requestId,
      createdAt: at, updatedAt: at, createdById: ctx.callerId, startedAt: null, requests: 0, bytes: 0, processorMs: 0, scheduleId: null, scheduleDueAt: null, inTurn: false,
    }),
    steps: steps.map((step) => Object.assign(new RunStep(), step, { id: newUuid(), runId: id, progress: null }, step.state === 'COMPLETED' ? {} : NOT_BEGUN)),
  };
}

const NOT_BEGUN: Pick<RunStep, 'state' | 'statusMessage' | 'result' | 'report' | 'attempts' | 'retryAt'> = { state: 'QUEUED', statusMessage: '', result: null, report: null, attempts: 0, retryAt: null };
