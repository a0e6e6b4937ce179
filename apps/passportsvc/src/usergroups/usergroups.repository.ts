import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { LivingOwners } from '../ownership/living-owners';
import { applyAttributes, applyFilter, CREATION_ORDER, reachPredicate } from '../namespaces/record-query.repository';
import type { RecordFilter } from '../namespaces/record-filter';
import { UserGroupEntity } from './usergroup.entity';

/** Which groups a caller sees: its own, and those that its grants reach. */
export interface GroupVisibility {
  readonly memberOf: readonly string[];
  readonly scope: NamespaceScope | undefined;
}

export interface GroupFilter extends RecordFilter {
  /** Groups of this organization itself, not of its applications. */
  readonly orgId?: string;
}

const NAMESPACES = ['usergroup.namespace', 'usergroup.parent_namespace'];

@Injectable()
export class UserGroupsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owners: LivingOwners,
  ) {}

  async list(visibility: GroupVisibility, filter: GroupFilter, paging: Paging): Promise<Slice<UserGroupEntity>> {
    const query = this.visible(visibility);
    applyFilter(query, 'usergroup', filter);
    applyAttributes(query, 'usergroup', filter);
    if (filter.orgId !== undefined) query.andWhere('usergroup.app_id IS NULL AND usergroup.org_id::text = :orgId', { orgId: filter.orgId });
    return sliceOf(query, paging, CREATION_ORDER);
  }

  async findVisible(visibility: GroupVisibility, id: string): Promise<UserGroupEntity | undefined> {
    return (await this.visible(visibility).andWhere('usergroup.id = :id', { id }).getOne()) ?? undefined;
  }

  async idsWithin(scope: NamespaceScope): Promise<string[]> {
    const rows = await this.visible({ memberOf: [], scope }).select('usergroup.id', 'id').getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Whether there is such a group, whoever asks: contract 0.2 answers 403 for one that exists and may not be changed. */
  async find(id: string): Promise<UserGroupEntity | undefined> {
    return isUuid(id) ? ((await this.dataSource.getRepository(UserGroupEntity).findOneBy({ id })) ?? undefined) : undefined;
  }

  async insert(tx: TypeOrmTx, group: UserGroupEntity): Promise<void> {
    await tx.manager.insert(UserGroupEntity, group);
  }

  async update(tx: TypeOrmTx, id: string, changes: Partial<UserGroupEntity>): Promise<boolean> {
    const { affected } = await tx.manager.update(UserGroupEntity, { id }, changes);
    return affected === 1;
  }

  /** Keeps the group from being removed until the transaction ends; false when it is gone. */
  async hold(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.query('SELECT id FROM usergroup WHERE id = $1 FOR KEY SHARE', [id])).length > 0;
  }

  /** With its memberships. */
  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    await this.owners.beforeLossOf(tx, { type: 'usergroup', id });
    const { affected } = await tx.manager.delete(UserGroupEntity, { id });
    return affected === 1;
  }

  /** Every group that was made in an application or organization. */
  async listIn(tx: TypeOrmTx, parentNamespace: string): Promise<UserGroupEntity[]> {
    return tx.manager.find(UserGroupEntity, { where: { parentNamespace }, order: { id: 'ASC' } });
  }

  private visible({ memberOf, scope }: GroupVisibility): SelectQueryBuilder<UserGroupEntity> {
    const query = this.dataSource.getRepository(UserGroupEntity).createQueryBuilder('usergroup');
    if (scope === undefined) return query.where('usergroup.id = ANY(:memberOf::uuid[])', { memberOf });
    const { sql, parameters } = reachPredicate(scope, 'usergroup', NAMESPACES);
    return query.where(`(usergroup.id = ANY(:memberOf::uuid[]) OR ${sql})`, { memberOf, ...parameters });
  }
}
