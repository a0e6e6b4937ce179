import { Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { Outbox, resourceDeleted } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { Namespaces } from '../namespaces/namespaces.service';
import { PurgesRepository } from '../purge/purges.repository';
import type { WorkspaceEntity } from './workspace.entity';
import { toWorkspaceEvent } from './workspaces.events';
import { WorkspacesRepository } from './workspaces.repository';
import { WorkspacesService } from './workspaces.service';

/**
 * Hides a workspace and has everything in its namespace removed, in every service (contract 1.4). One that was hidden before is found by
 * those who could delete it from outside of it. To ask again while it is under way has every service go through it again.
 */
@Injectable()
export class PurgeWorkspace {
  constructor(
    private readonly workspaces: WorkspacesRepository,
    private readonly service: WorkspacesService,
    private readonly namespaces: Namespaces,
    private readonly purges: PurgesRepository,
    private readonly feed: GrantFeed,
    private readonly outbox: Outbox,
  ) {}

  async run(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    const workspace = await this.find(ctx, id);
    const now = new Date();
    const fields = { ...toWorkspaceEvent(workspace), _purge: true };
    const { namespace, parentNamespace } = workspace;
    await this.feed.commit(async (tx) => {
      if (!(await this.workspaces.hide(tx, workspace.id, { purgeRequestedAt: now, updatedAt: now, updatedById: ctx.callerId }))) throw notFound('workspace', id);
      const keys = await this.namespaces.hide(tx, namespace);
      await this.purges.begin(tx, { namespace, irn: fields._irn, parentNamespace, askedById: ctx.callerId, requestId: ctx.requestId });
      await this.outbox.append(tx, resourceDeleted('passportsvc.Workspace', fields, ctx.origin));
      return { result: undefined, keys };
    }, keep);
  }

  private async find(ctx: RequestContext, id: string): Promise<WorkspaceEntity> {
    const hidden = await this.workspaces.findHidden(ctx.access.scope('DELETE', 'passportsvc:workspace'), id);
    return hidden ?? this.service.getFor(ctx, 'DELETE', id);
  }
}
