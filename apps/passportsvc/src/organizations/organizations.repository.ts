import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { isUniqueViolation, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { applyFilter, CREATION_ORDER, reachPredicate } from '../namespaces/record-query.repository';
import { type RecordFilter, toLikePattern } from '../namespaces/record-filter';
import { UserEntity } from '../users/user.entity';
import { OrganizationEntity } from './organization.entity';

/** Contract 1.4: those that the caller belongs to; a platform manager sees all. */
export interface OrganizationVisibility {
  readonly scope: NamespaceScope;
  readonly memberOf: readonly string[];
  readonly all: boolean;
}

const IS_MEMBER = 'EXISTS (SELECT FROM usergroup g WHERE g.org_id = organization.id AND g.id::text = ANY(:memberOf))';
/** Users in groups of the organization and of its applications (specification 1), and those whom its identity provider has made by SCIM. */
const BELONGS = `(EXISTS (SELECT FROM usergroup_member m JOIN usergroup g ON g.id = m.group_id WHERE m.user_id = app_user.id AND g.org_id = :orgId)
  OR EXISTS (SELECT FROM scim_user s WHERE s.user_id = app_user.id AND s.org_id = :orgId))`;

@Injectable()
export class OrganizationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(visibility: OrganizationVisibility, filter: RecordFilter, paging: Paging): Promise<Slice<OrganizationEntity>> {
    const query = this.visible(visibility);
    applyFilter(query, 'organization', filter);
    return sliceOf(query, paging, CREATION_ORDER);
  }

  async find(visibility: OrganizationVisibility, id: string): Promise<OrganizationEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.visible(visibility).andWhere('organization.id = :id', { id }).getOne()) ?? undefined;
  }

  /** @throws ServiceError `conflict` when the short name is taken. */
  async insert(tx: TypeOrmTx, organization: OrganizationEntity): Promise<void> {
    try {
      await tx.manager.insert(OrganizationEntity, organization);
    } catch (error) {
      throw isUniqueViolation(error) ? conflict(`There is an organization with the short name ${JSON.stringify(organization.shortName)} already`) : error;
    }
  }

  async update(tx: TypeOrmTx, id: string, changes: Partial<OrganizationEntity>): Promise<boolean> {
    const { affected } = await tx.manager.update(OrganizationEntity, { id }, changes);
    return affected === 1;
  }

  /** Whoever makes something in it holds the row, and is waited for. */
  async lockForRemoval(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.query('SELECT id FROM organization WHERE id = $1 FOR UPDATE', [id])).length > 0;
  }

  async isInUse(tx: TypeOrmTx, id: string): Promise<boolean> {
    const [row] = await tx.query<{ used: boolean }>(
      'SELECT EXISTS (SELECT FROM app WHERE org_id = $1) OR EXISTS (SELECT FROM workspace WHERE org_id = $1 AND NOT hidden) AS used', [id],
    );
    return row?.used === true;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(OrganizationEntity, { id });
  }

  async takePending(tx: TypeOrmTx, email: string, ownerId: string): Promise<OrganizationEntity[]> {
    const rows = await tx.query<{ id: string }>(
      'UPDATE organization SET owner_id = $2, pending_owner_email = NULL, updated_at = now() WHERE pending_owner_email = $1 RETURNING id', [email, ownerId],
    );
    return Promise.all(rows.map(({ id }) => tx.manager.findOneByOrFail(OrganizationEntity, { id })));
  }

  async listUsers(orgId: string, text: string | undefined, paging: Paging): Promise<Slice<UserEntity>> {
    const query = this.dataSource.getRepository(UserEntity).createQueryBuilder('app_user').where(BELONGS, { orgId });
    if (text !== undefined && text !== '') {
      query.andWhere('(app_user.firstname ILIKE :searched OR app_user.lastname ILIKE :searched OR app_user.email ILIKE :searched)', { searched: toLikePattern(text) });
    }
    return sliceOf(query, paging, ['createdAt', 'id']);
  }

  private visible({ scope, memberOf, all }: OrganizationVisibility): SelectQueryBuilder<OrganizationEntity> {
    const query = this.dataSource.getRepository(OrganizationEntity).createQueryBuilder('organization').where('true');
    if (all) return query;
    const { sql, parameters } = reachPredicate(scope, 'organization', ['organization.namespace']);
    return query.andWhere(`(${IS_MEMBER} OR ${sql})`, { memberOf, ...parameters });
  }
}
