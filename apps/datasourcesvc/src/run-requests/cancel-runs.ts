import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { invalid, invalidField, outcomeOf, ServiceError } from '@twinyard/conventions';
import { OrchestratorsService } from '../orchestrators/orchestrators.service';
import { RunsRepository } from '../runs/runs.repository';
import { RunsService } from '../runs/runs.service';
import { type CancelledRunsDto, type CancelRunsDto, MOST_CANCELLED } from './cancel-runs.dto';

@Injectable()
export class CancelRuns {
  constructor(
    private readonly service: RunsService,
    private readonly runs: RunsRepository,
    private readonly orchestrators: OrchestratorsService,
  ) {}

  /** Each in a transaction of its own: one that is refused keeps no other from being cancelled. */
  async run(ctx: RequestContext, body: CancelRunsDto): Promise<CancelledRunsDto> {
    ctx.access.requireAnywhere('RUN', 'datasourcesvc:orchestrator');
    const answer: CancelledRunsDto = { _success: [], _failures: [] };
    for (const id of await this.idsOf(ctx, body)) {
      const outcome = await outcomeOf(this.service.cancel(ctx, id));
      if (outcome instanceof ServiceError) answer._failures.push({ id, _reason: outcome.message });
      else answer._success.push(id);
    }
    return answer;
  }

  private async idsOf(ctx: RequestContext, { ids, orchestratorId }: CancelRunsDto): Promise<readonly string[]> {
    if (Boolean(ids) === Boolean(orchestratorId)) throw invalid('Either ids or orchestratorId is required', ['ids', 'orchestratorId'].map((field) => ({ field, issue: 'is required, one of both' })));
    return ids ? [...new Set(ids)] : this.openOf(ctx, orchestratorId ?? '');
  }

  private async openOf(ctx: RequestContext, orchestratorId: string): Promise<readonly string[]> {
    const orchestrator = await outcomeOf(this.orchestrators.get(ctx, orchestratorId));
    if (orchestrator instanceof ServiceError) throw invalidField('orchestratorId', 'names no orchestrator');
    return this.runs.openOf(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), orchestrator.id, MOST_CANCELLED);
  }
}
