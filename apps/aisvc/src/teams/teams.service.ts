import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { authoredBy, invalidFields, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { TeamDraft } from './team.dto';
import { Team, teamTarget } from './team.entity';
import { flowIssues } from './team-flow';
import { teamCreated, teamDeleted, teamUpdated } from './teams.events';
import { TeamsRepository } from './teams.repository';

@Injectable()
export class TeamsService {
  constructor(
    private readonly teams: TeamsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  list(ctx: RequestContext, paging: Paging): Promise<Slice<Team>> {
    return this.teams.list(ctx.access.scope('READ', 'aisvc:team'), paging);
  }

  async get(ctx: RequestContext, id: string): Promise<Team> {
    const team = await this.teams.find(ctx.access.scope('READ', 'aisvc:team'), id);
    if (team === undefined) throw notFound('team', id);
    return team;
  }

  async create(ctx: RequestContext, draft: TeamDraft, keep?: KeepAnswer<Team>): Promise<Team> {
    checkDraft(ctx, draft);
    ctx.access.requireInAll('CREATE', teamTarget(draft.namespaces));
    const team = Object.assign(new Team(), { id: newUuid(), ...draft, ...authoredBy(ctx.callerId) });
    await this.unitOfWork.run(async (tx) => {
      await this.teams.insert(tx, team);
      await this.outbox.append(tx, teamCreated(ctx, team));
      await keep?.(tx, team);
    });
    return team;
  }

  async update(ctx: RequestContext, id: string, draft: TeamDraft, keep?: KeepAnswer<Team>): Promise<Team> {
    const stored = await this.get(ctx, id);
    ctx.access.require('EDIT', teamTarget(stored.namespaces, id));
    checkDraft(ctx, draft);
    const added = draft.namespaces.filter((namespace) => !stored.namespaces.includes(namespace));
    ctx.access.requireInAll('CREATE', teamTarget(added));
    const team = Object.assign(new Team(), stored, draft, { updatedAt: new Date(), updatedById: ctx.callerId });
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.teams.update(tx, team))) throw notFound('team', id);
      await this.outbox.append(tx, teamUpdated(ctx, team));
      await keep?.(tx, team);
    });
    return team;
  }

  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const team = await this.get(ctx, id);
    ctx.access.require('DELETE', teamTarget(team.namespaces, id));
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.teams.remove(tx, id))) throw notFound('team', id);
      await this.outbox.append(tx, teamDeleted(ctx, team));
      await keep?.(tx);
    });
  }
}

function checkDraft(ctx: RequestContext, draft: TeamDraft): void {
  const outside = draft.namespaces.filter((namespace) => !ctx.namespaces.includes(namespace));
  const issues = [
    ...outside.map((namespace) => ({ field: '_namespaces', issue: `${namespace} is not in nsfilter` })),
    ...flowIssues(draft.agents.map(({ userType }) => userType), draft.flow),
  ];
  if (issues.length > 0) throw invalidFields(issues);
}
