import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import { DataSource, In } from 'typeorm';
import { UserGroupEntity } from '../usergroups/usergroup.entity';
import { WorkspaceEntity } from '../workspaces/workspace.entity';

/** Of all tenants, in nobody's name: for the services themselves. */
@Injectable()
export class TenancyAggregatesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A hidden one has told everybody that it is deleted. */
  workspaces(ids: readonly string[]): Promise<WorkspaceEntity[]> {
    return this.dataSource.getRepository(WorkspaceEntity).findBy({ id: In(ids.filter(isUuid)), hidden: false });
  }

  groups(ids: readonly string[]): Promise<UserGroupEntity[]> {
    return this.dataSource.getRepository(UserGroupEntity).findBy({ id: In(ids.filter(isUuid)) });
  }
}
