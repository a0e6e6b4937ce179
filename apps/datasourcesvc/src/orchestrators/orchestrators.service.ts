import { Injectable } from '@nestjs/common';
import { keepAnswer, NO_CONTENT, type RequestContext } from '@twinyard/auth';
import { authoredBy, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { ComponentCatalogue } from '../components/component-catalogue';
import type { RunParamsDto } from '../runs/run.dto';
import { requireFittingParams } from '../runs/run-params';
import { type PutOrchestratorDto, toOrchestratorDto } from './orchestrator.dto';
import { parseDraft } from './orchestrator-draft';
import { Orchestrator, orchestratorTarget } from './orchestrator.entity';
import { OrchestratorWork } from './orchestrator-work';
import { orchestratorCreated, orchestratorDeleted, orchestratorUpdated } from './orchestrators.events';
import { OrchestratorsRepository } from './orchestrators.repository';
import { ProfileAssignment } from './profile-assignment';

@Injectable()
export class OrchestratorsService {
  constructor(
    private readonly orchestrators: OrchestratorsRepository,
    private readonly work: OrchestratorWork,
    private readonly catalogue: ComponentCatalogue,
    private readonly profiles: ProfileAssignment,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  list(ctx: RequestContext, paging: Paging): Promise<Slice<Orchestrator>> {
    return this.orchestrators.list(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), paging);
  }

  async get(ctx: RequestContext, id: string): Promise<Orchestrator> {
    const orchestrator = await this.orchestrators.find(ctx.access.scope('READ', 'datasourcesvc:orchestrator'), id);
    if (orchestrator === undefined) throw notFound('orchestrator', id);
    return orchestrator;
  }

  async create(ctx: RequestContext, body: PutOrchestratorDto): Promise<Orchestrator> {
    const draft = parseDraft(ctx, body, this.catalogue);
    ctx.access.requireInAll('CREATE', orchestratorTarget(draft.namespaces));
    await this.profiles.require(ctx, draft);
    const made = Object.assign(new Orchestrator(), { id: newUuid() }, draft, authoredBy(ctx.callerId));
    await this.unitOfWork.run(async (tx) => {
      await this.orchestrators.insert(tx, made);
      await this.outbox.append(tx, orchestratorCreated(ctx, made));
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toOrchestratorDto(made, this.catalogue) }));
    });
    return made;
  }

  async update(ctx: RequestContext, id: string, body: PutOrchestratorDto): Promise<Orchestrator> {
    const stored = await this.get(ctx, id);
    ctx.access.require('EDIT', orchestratorTarget(stored.namespaces, id));
    const draft = parseDraft(ctx, body, this.catalogue, stored);
    const kept = stored.namespaces.filter((namespace) => !ctx.namespaces.includes(namespace));
    const added = draft.namespaces.filter((namespace) => !stored.namespaces.includes(namespace));
    ctx.access.requireInAll('CREATE', orchestratorTarget(added));
    // What lies outside of nsfilter is not the request's business and stays.
    const namespaces = [...draft.namespaces, ...kept];
    await this.profiles.require(ctx, { ...draft, namespaces }, stored);
    const changed = Object.assign(new Orchestrator(), stored, draft, { namespaces, updatedAt: new Date(), updatedById: ctx.callerId });
    await this.unitOfWork.run(async (tx) => {
      const before = await this.orchestrators.lock(tx, id);
      if (before === undefined) throw notFound('orchestrator', id);
      await this.orchestrators.update(tx, changed);
      const schedule = await this.work.follow(ctx, tx, before, changed);
      await this.outbox.append(tx, orchestratorUpdated(ctx, changed));
      await keepAnswer(ctx, tx, () => ({ status: 200, body: toOrchestratorDto(changed, this.catalogue, schedule) }));
    });
    return changed;
  }

  /** That its steps can run with these. @throws ServiceError `invalid` */
  requireFittingParams(orchestrator: Orchestrator, overrides: readonly RunParamsDto[]): void {
    requireFittingParams(this.catalogue, orchestrator, overrides);
  }

  /** Keeps it from being deleted until the transaction ends. False when it is gone already. */
  hold(tx: TypeOrmTx, id: string): Promise<boolean> {
    return this.orchestrators.hold(tx, id);
  }

  /** Its schedule goes with it. Its runs that have ended stay; those that wait are cancelled, and those that are under way are asked to (contract 5). */
  async remove(ctx: RequestContext, id: string): Promise<void> {
    const stored = await this.get(ctx, id);
    ctx.access.require('DELETE', orchestratorTarget(stored.namespaces, id));
    await this.unitOfWork.run(async (tx) => {
      if ((await this.orchestrators.lock(tx, id)) === undefined) throw notFound('orchestrator', id);
      await this.work.endSchedule(tx, id);
      await this.orchestrators.remove(tx, id);
      await this.work.cancelRuns(tx, id, ctx.origin);
      await this.outbox.append(tx, orchestratorDeleted(ctx, stored));
      await keepAnswer(ctx, tx, () => NO_CONTENT);
    });
  }
}
