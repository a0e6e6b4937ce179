import { Injectable } from '@nestjs/common';
import { type KeepAnswer, keepAnswer, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { invalidField, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { RunWatch } from '../execution/run-watch';
import { orchestratorTarget } from '../orchestrators/orchestrator.entity';
import type { Run } from './run.entity';
import { toLogText } from './run-log';
import { RunLogsRepository } from './run-logs.repository';
import { RunCancellation } from './run-cancellation';
import { isFinal } from './run-state';
import { runDeleted } from './runs.events';
import { type RunFilter, RunsRepository, type StoredRun } from './runs.repository';

@Injectable()
export class RunsService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly logs: RunLogsRepository,
    private readonly cancellation: RunCancellation,
    private readonly watch: RunWatch,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  list(ctx: RequestContext, filter: RunFilter, paging: Paging): Promise<Slice<StoredRun>> {
    return this.runs.list(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<StoredRun> {
    const stored = await this.runs.find(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), id);
    if (stored === undefined) throw notFound('run', id);
    return stored;
  }

  /** Without its steps, which may be heavy. */
  async getRun(ctx: RequestContext, id: string): Promise<Run> {
    const run = await this.runs.findWithoutSteps(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), id);
    if (run === undefined) throw notFound('run', id);
    return run;
  }

  async getLog(ctx: RequestContext, id: string, paging: Paging): Promise<string> {
    const run = await this.getRun(ctx, id);
    return toLogText(await this.logs.list(run.id, paging), { runId: run.id, offset: paging.offset, hasEnded: isFinal(run.state) });
  }

  /** The run as it answers to the request: what is under way has yet to notice. */
  async cancel(ctx: RequestContext, id: string, keep?: KeepAnswer<Run>): Promise<Run> {
    const seen = await this.getRun(ctx, id);
    ctx.access.require('RUN', orchestratorTarget(seen.namespaces, seen.orchestratorId));
    const cancelled = await this.unitOfWork.run(async (tx) => {
      const run = await this.runs.lock(tx, seen.id);
      if (run === undefined) throw notFound('run', id);
      if (isFinal(run.state)) throw invalidField('id', `is a run that has ended: it is ${run.state}`);
      const asked = run.state === 'REQUEST_CANCEL' ? run : await this.cancellation.cancel(tx, run, ctx.origin);
      await keep?.(tx, asked);
      return asked;
    });
    this.watch.cancel(seen.id);
    return cancelled;
  }

  /** A run that is under way ends at its next write, which finds no run any more. */
  async remove(ctx: RequestContext, id: string): Promise<void> {
    const seen = await this.getRun(ctx, id);
    ctx.access.require('DELETE', orchestratorTarget(seen.namespaces, seen.orchestratorId));
    await this.unitOfWork.run(async (tx) => {
      const run = await this.runs.lock(tx, seen.id);
      if (run === undefined) throw notFound('run', id);
      await this.cancellation.remove(tx, run);
      await this.outbox.append(tx, runDeleted(run, ctx.origin));
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
    this.watch.forget(seen.id);
  }
}
