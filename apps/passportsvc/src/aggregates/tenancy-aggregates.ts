import { Injectable } from '@nestjs/common';
import { type EventOrigin, resourceCreated, type ResourcesOf, type ResourceState } from '@twinyard/events';
import type { AuthoredEntity } from '@twinyard/service-kit';
import { toGroupEvent } from '../usergroups/usergroups.events';
import { toWorkspaceEvent } from '../workspaces/workspaces.events';
import { TenancyAggregatesRepository } from './tenancy-aggregates.repository';

/** Nobody hears of these events: only what they say of their resource is wanted. */
const TOLD: EventOrigin = { userId: 'passportsvc', requestId: '' };

/** Workspaces and user groups, as the events tell of them. Members are not counted, so nobody asks for them. */
@Injectable()
export class TenancyAggregates {
  readonly topics = {
    'passportsvc.workspace': (keys: readonly string[]) => this.workspacesOf(keys),
    'passportsvc.usergroup': (keys: readonly string[]) => this.groupsOf(keys),
  } satisfies Record<string, ResourcesOf>;

  constructor(private readonly repository: TenancyAggregatesRepository) {}

  private async workspacesOf(keys: readonly string[]): ReturnType<ResourcesOf> {
    const found = await this.repository.workspaces(keys);
    return new Map(found.map((workspace) => [workspace.id, [stateOf(resourceCreated('passportsvc.Workspace', toWorkspaceEvent(workspace), TOLD).resource, workspace)]]));
  }

  private async groupsOf(keys: readonly string[]): ReturnType<ResourcesOf> {
    const found = await this.repository.groups(keys);
    return new Map(found.map((group) => [group.id, [stateOf(resourceCreated('passportsvc.UserGroup', toGroupEvent(group), TOLD).resource, group)]]));
  }
}

const stateOf = (resource: ResourceState['resource'], { createdAt, updatedAt }: AuthoredEntity): ResourceState => ({
  resource, madeAt: createdAt.toISOString(), changedAt: updatedAt.toISOString(),
});
