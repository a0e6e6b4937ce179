import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { PermissionProfileEntity } from './permission-profile.entity';

export interface ProfileFilter {
  readonly names?: readonly string[];
  readonly userTypes?: readonly string[];
}

@Injectable()
export class PermissionProfilesRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(scope: NamespaceScope, { names, userTypes }: ProfileFilter, paging: Paging): Promise<Slice<PermissionProfileEntity>> {
    const query = this.within(scope);
    if (names !== undefined) query.andWhere('profile.name = ANY(:names)', { names });
    if (userTypes !== undefined) query.andWhere('profile.user_type = ANY(:userTypes)', { userTypes });
    return sliceOf(query, paging, ['position']);
  }

  async find(scope: NamespaceScope, id: string): Promise<PermissionProfileEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('profile.id = :id', { id }).getOne()) ?? undefined;
  }

  /** @throws ServiceError `conflict` when one of the namespaces knows another profile by this name. */
  async insert(tx: TypeOrmTx, profile: PermissionProfileEntity): Promise<void> {
    await tx.manager.insert(PermissionProfileEntity, profile);
    await this.takeName(tx, profile);
  }

  /** False when it has been deleted meanwhile. */
  async update(tx: TypeOrmTx, { id, ...changes }: PermissionProfileEntity): Promise<boolean> {
    const { affected } = await tx.manager.update(PermissionProfileEntity, { id }, changes);
    if (affected !== 1) return false;
    await tx.query('DELETE FROM permission_profile_name WHERE profile_id = $1', [id]);
    await this.takeName(tx, { id, ...changes });
    return true;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return ((await tx.manager.delete(PermissionProfileEntity, { id })).affected ?? 0) > 0;
  }

  private async takeName(tx: TypeOrmTx, { id, name, namespaces }: PermissionProfileEntity): Promise<void> {
    const taken = await tx.query<{ namespace: string }>(
      `INSERT INTO permission_profile_name (namespace, name, profile_id) SELECT namespace, $2, $3 FROM unnest($1::text[]) AS namespace ORDER BY namespace
       ON CONFLICT DO NOTHING RETURNING namespace`, [namespaces, name, id],
    );
    if (taken.length < namespaces.length) throw conflict(`There is another permission profile ${JSON.stringify(name)} in the namespace`);
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<PermissionProfileEntity> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'profile.namespaces', id: 'profile.id' });
    return this.dataSource.getRepository(PermissionProfileEntity).createQueryBuilder('profile').where(sql, parameters);
  }
}
