import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { applyAttributes, applyFilter, CREATION_ORDER, reachPredicate } from '../namespaces/record-query.repository';
import type { RecordFilter } from '../namespaces/record-filter';
import { WorkspaceEntity } from './workspace.entity';

const NAMESPACES = ['workspace.namespace', 'workspace.parent_namespace'];
/** Grants in its own namespace count for nothing any more; its application may be gone, too. */
const NAMESPACES_OF_HIDDEN = ['workspace.parent_namespace', '(SELECT o.namespace FROM organization o WHERE o.id = workspace.org_id)'];

@Injectable()
export class WorkspacesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: NamespaceScope, filter: RecordFilter, paging: Paging): Promise<Slice<WorkspaceEntity>> {
    const query = this.visible(scope);
    applyFilter(query, 'workspace', filter);
    applyAttributes(query, 'workspace', filter);
    return sliceOf(query, paging, CREATION_ORDER);
  }

  async find(scope: NamespaceScope, id: string): Promise<WorkspaceEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.visible(scope).andWhere('workspace.id = :id', { id }).getOne()) ?? undefined;
  }

  /** One that was deleted before, for those who could delete it from the namespace that it was made in, or from its organization's. */
  async findHidden(scope: NamespaceScope, id: string): Promise<WorkspaceEntity | undefined> {
    if (!isUuid(id)) return undefined;
    const { sql, parameters } = reachPredicate(scope, 'workspace', NAMESPACES_OF_HIDDEN);
    const query = this.dataSource.getRepository(WorkspaceEntity).createQueryBuilder('workspace').where('workspace.hidden').andWhere(sql, parameters);
    return (await query.andWhere('workspace.id = :id', { id }).getOne()) ?? undefined;
  }

  async insert(tx: TypeOrmTx, workspace: WorkspaceEntity): Promise<void> {
    await tx.manager.insert(WorkspaceEntity, workspace);
  }

  /** False when it was hidden meanwhile. */
  async update(tx: TypeOrmTx, id: string, changes: Partial<WorkspaceEntity>): Promise<boolean> {
    const { affected } = await tx.manager.update(WorkspaceEntity, { id, hidden: false }, changes);
    return affected === 1;
  }

  /** False when it is gone for good. */
  async hide(tx: TypeOrmTx, id: string, changes: Partial<WorkspaceEntity>): Promise<boolean> {
    const { affected } = await tx.manager.update(WorkspaceEntity, { id }, { ...changes, hidden: true });
    return affected === 1;
  }

  private visible(scope: NamespaceScope): SelectQueryBuilder<WorkspaceEntity> {
    const { sql, parameters } = reachPredicate(scope, 'workspace', NAMESPACES);
    return this.dataSource.getRepository(WorkspaceEntity).createQueryBuilder('workspace').where('NOT workspace.hidden').andWhere(sql, parameters);
  }
}
