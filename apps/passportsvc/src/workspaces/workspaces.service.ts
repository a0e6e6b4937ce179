import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext, Target } from '@twinyard/auth';
import { type Action, authoredBy, newNamespace, newUuid, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { Namespaces } from '../namespaces/namespaces.service';
import { callerOf } from '../namespaces/caller';
import type { Parent } from '../namespaces/parent';
import { Parents } from '../namespaces/parents.service';
import type { RecordFilter } from '../namespaces/record-filter';
import type { WorkspaceEntity } from './workspace.entity';
import { toWorkspaceEvent } from './workspaces.events';
import { WorkspacesRepository } from './workspaces.repository';

const TYPE = 'passportsvc:workspace';

export interface WorkspaceChanges {
  readonly name?: string;
  readonly shortName?: string;
  readonly description?: string;
  readonly userType?: string;
  readonly userAttributes?: Record<string, unknown>;
}

export interface WorkspaceDraft extends WorkspaceChanges {
  readonly name: string;
  readonly shortName: string;
  readonly orgId?: string;
}

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly workspaces: WorkspacesRepository,
    private readonly namespaces: Namespaces,
    private readonly parents: Parents,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  async create(ctx: RequestContext, drafts: readonly WorkspaceDraft[], keep?: KeepAnswer<WorkspaceEntity[]>): Promise<WorkspaceEntity[]> {
    // Contract 1.4: an empty array, too, is for those who may create.
    const asked = drafts.length === 0 ? [undefined] : drafts.map(({ orgId }) => orgId);
    const parents = new Map<string | undefined, Parent>();
    for (const orgId of new Set(asked)) parents.set(orgId, await this.parents.of(ctx, orgId, TYPE));
    const made = drafts.map((draft) => toWorkspace(draft, parents.get(draft.orgId) as Parent, ctx.callerId));
    if (made.length === 0) return [];
    return this.feed.commit(async (tx) => {
      for (const parent of parents.values()) {
        await this.parents.reserve(tx, parent, 'workspaces', made.filter(({ parentNamespace }) => parentNamespace === parent.namespace).length);
      }
      const keys: string[] = [];
      for (const workspace of made) keys.push(...(await this.insert(tx, workspace, ctx)));
      await this.outbox.append(tx, ...made.map((workspace) => resourceCreated('passportsvc.Workspace', toWorkspaceEvent(workspace), ctx.origin)));
      return { result: made, keys };
    }, keep);
  }

  list(ctx: RequestContext, filter: RecordFilter, paging: Paging): Promise<Slice<WorkspaceEntity>> {
    return this.workspaces.list(ctx.access.scope('READ', TYPE), filter, paging);
  }

  async get(ctx: RequestContext, id: string): Promise<WorkspaceEntity> {
    const workspace = await this.workspaces.find(ctx.access.scope('READ', TYPE), id);
    if (workspace === undefined) throw notFound('workspace', id);
    return workspace;
  }

  async update(ctx: RequestContext, id: string, changes: WorkspaceChanges, keep?: KeepAnswer<WorkspaceEntity>): Promise<WorkspaceEntity> {
    const changed = { ...changes, updatedAt: new Date(), updatedById: ctx.callerId };
    const workspace = { ...(await this.getFor(ctx, 'EDIT', id)), ...changed };
    return this.feed.commit(async (tx) => {
      if (!(await this.workspaces.update(tx, workspace.id, changed))) throw notFound('workspace', id);
      await this.outbox.append(tx, resourceUpdated('passportsvc.Workspace', toWorkspaceEvent(workspace), ctx.origin));
      return { result: workspace, keys: [] };
    }, keep);
  }

  /** Hides the workspace: its namespace is empty to everybody from then on. */
  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const now = new Date();
    const workspace = await this.getFor(ctx, 'DELETE', id);
    const changes = { hidden: true, updatedAt: now, updatedById: ctx.callerId };
    await this.feed.commit(async (tx) => {
      if (!(await this.workspaces.update(tx, workspace.id, changes))) throw notFound('workspace', id);
      const keys = await this.namespaces.hide(tx, workspace.namespace);
      await this.outbox.append(tx, resourceDeleted('passportsvc.Workspace', toWorkspaceEvent(workspace), ctx.origin));
      return { result: undefined, keys };
    }, keep);
  }

  private async insert(tx: TypeOrmTx, workspace: WorkspaceEntity, ctx: RequestContext): Promise<string[]> {
    const { id, appId, orgId, namespace } = workspace;
    await this.workspaces.insert(tx, workspace);
    return this.namespaces.found(tx, { name: namespace, kind: 'workspace', ownerId: id, appId, orgId, hidden: false }, [callerOf(ctx)], ctx.callerId);
  }


  async getFor(ctx: RequestContext, action: Action, id: string): Promise<WorkspaceEntity> {
    const workspace = await this.get(ctx, id);
    const target: Target = { type: TYPE, id: workspace.id, namespaces: [workspace.namespace, workspace.parentNamespace] };
    ctx.access.require(action, target);
    return workspace;
  }
}

function toWorkspace({ orgId: _asked, ...draft }: WorkspaceDraft, parent: Parent, callerId: string): WorkspaceEntity {
  return {
    description: '', userType: null, userAttributes: {}, ...draft, id: newUuid(), namespace: newNamespace(draft.shortName),
    parentNamespace: parent.namespace, appId: parent.appId, orgId: parent.orgId, hidden: false, purgeRequestedAt: null, ...authoredBy(callerId),
  };
}
