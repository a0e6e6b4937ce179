import { Injectable } from '@nestjs/common';
import { keepAnswer, type OwnAnswer, type RequestContext } from '@twinyard/auth';
import { authoredBy, conflict, type FieldIssue, formatIrn, invalidFields, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { Confirmations } from '../confirmations/confirmations.repository';
import { DeviceSecrets } from './device-secrets';
import { type Resource, targetOf, typeOf } from './resource';
import type { Completion, Draft, ResourceKind } from './resource-kind';
import { type ResourceFilter, ResourcesRepository } from './resources.repository';

export interface Created {
  readonly resource: Resource;
  /** Fields that this one answer shows and no later one. */
  readonly once: Record<string, unknown>;
}

export interface Change {
  readonly stored: Resource;
  readonly body: Record<string, unknown>;
  /** The caller's optimistic lock; without it the change wins over whatever was there. */
  readonly version: number | undefined;
}

/** Records of all kinds. `toAnswer`: what the request will be answered with. */
@Injectable()
export class ResourcesService {
  constructor(
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly secrets: DeviceSecrets,
    private readonly confirmations: Confirmations,
  ) {}

  list(ctx: RequestContext, { kind }: ResourceKind, filter: ResourceFilter, paging: Paging): Promise<Slice<Resource>> {
    return this.resources.list(ctx.access.scope('READ', typeOf(kind)), kind, filter, paging);
  }

  async get(ctx: RequestContext, { kind }: ResourceKind, id: string): Promise<Resource> {
    const resource = await this.resources.find(ctx.access.scope('READ', typeOf(kind)), kind, id);
    if (resource === undefined) throw notFound(kind, id);
    return resource;
  }

  async create(ctx: RequestContext, kind: ResourceKind, given: Omit<Draft, 'name'> & { readonly name?: string }, toAnswer: (created: Created) => OwnAnswer): Promise<Created> {
    ctx.access.require('CREATE', targetOf(kind.kind, given.namespace));
    const id = newUuid();
    const authored = authoredBy(ctx.callerId);
    return this.unitOfWork.run(async (tx) => {
      const { once = {}, ...draft } = await this.completed(this.at(tx, ctx, id), kind, { ...given, name: given.name ?? id });
      await this.requireReferences(tx, kind, draft);
      const resource: Resource = { id, kind: kind.kind, version: 1, ...draft, ...authored };
      await this.resources.insert(tx, resource);
      await this.outbox.append(tx, resourceCreated(kind.eventType, eventFields(resource), ctx.origin));
      const created = { resource, once };
      await keepAnswer(ctx, tx, () => toAnswer(created));
      return created;
    });
  }

  async update(ctx: RequestContext, kind: ResourceKind, { stored, body, version }: Change, toAnswer: (changed: Resource) => OwnAnswer): Promise<Resource> {
    ctx.access.require('EDIT', targetOf(kind.kind, stored.namespace, stored.id));
    if (version !== undefined && version !== stored.version) throw stale(stored);
    const updatedAt = new Date();
    return this.unitOfWork.run(async (tx) => {
      const revised = (await kind.revise?.(this.at(tx, ctx, stored.id), stored, body)) ?? body;
      const changed: Resource = { ...stored, body: revised, version: stored.version + 1, updatedAt, updatedById: ctx.callerId };
      await this.requireReferences(tx, kind, changed);
      if (!(await this.resources.replace(tx, stored.version, changed))) throw stale(stored);
      await this.outbox.append(tx, resourceUpdated(kind.eventType, eventFields(changed), ctx.origin));
      await keepAnswer(ctx, tx, () => toAnswer(changed));
      return changed;
    });
  }

  async remove(ctx: RequestContext, kind: ResourceKind, id: string, version: number | undefined): Promise<void> {
    const stored = await this.get(ctx, kind, id);
    ctx.access.require('DELETE', targetOf(kind.kind, stored.namespace, id));
    if (version !== undefined && version !== stored.version) throw stale(stored);
    await this.unitOfWork.run(async (tx) => {
      if (!(await this.resources.remove(tx, id, stored.version))) throw stale(stored);
      await this.outbox.append(tx, resourceDeleted(kind.eventType, eventFields(stored), ctx.origin));
      await keepAnswer(ctx, tx, () => REMOVED);
    });
  }

  private at(tx: SqlTx, ctx: RequestContext, id: string): Completion {
    return { id, tx, ctx, resources: this.resources, secrets: this.secrets, confirmations: this.confirmations };
  }

  private completed(at: Completion, kind: ResourceKind, draft: Draft): Promise<Draft> {
    return kind.complete === undefined ? Promise.resolve(draft) : kind.complete(at, draft);
  }

  private async requireReferences(tx: SqlTx, kind: ResourceKind, { namespace, body }: Draft): Promise<void> {
    const issues: FieldIssue[] = [];
    for (const { field, kind: wanted, id } of kind.references(body)) {
      const found = await this.resources.findIn(tx, namespace, wanted, id);
      if (found === undefined) issues.push({ field, issue: `there is no ${wanted} ${JSON.stringify(id)} in ${namespace}` });
    }
    if (issues.length > 0) throw invalidFields(issues);
  }
}

/** As the specification has it: a body, which is empty. */
const REMOVED: OwnAnswer = { status: 200, body: {} };

const stale = ({ kind, id, version }: Resource) => conflict(`The ${kind} ${JSON.stringify(id)} has changed meanwhile; it was at _version ${version}`);

const eventFields = ({ id, kind, name, namespace, body }: Resource) => ({
  _id: id, _irn: formatIrn('notificationsvc', kind, id), _name: name, _namespaces: [namespace],
  ...(typeof body['_status'] === 'string' && { _status: body['_status'] }),
});
