import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PermissionsRepository, type PrincipalRef } from '../permissions/permissions.repository';
import type { NamespaceEntity } from './namespace.entity';
import { NamespacesRepository } from './namespaces.repository';

/** The life of a namespace. Each method answers whose rights it changed, as keys for the change feed. */
@Injectable()
export class Namespaces {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly permissions: PermissionsRepository,
  ) {}

  /** Makes a namespace whose owners hold everything in it. */
  async found(tx: TypeOrmTx, namespace: NamespaceEntity, owners: readonly PrincipalRef[], createdById: string): Promise<InvalidationKey[]> {
    await this.namespaces.insert(tx, namespace);
    return this.giveAll(tx, namespace.name, owners, createdById);
  }

  /** Contract 0.4: a `*` on `*:*:*` makes its holder the owner of the namespace. */
  async giveAll(tx: TypeOrmTx, namespace: string, owners: readonly PrincipalRef[], createdById: string): Promise<InvalidationKey[]> {
    for (const user of owners) await this.permissions.grant(tx, { namespace, actions: ['*'], irn: '*:*:*', user, createdById });
    return owners.map(({ type, id }) => `${type}:${id}`);
  }

  async hide(tx: TypeOrmTx, name: string): Promise<InvalidationKey[]> {
    await this.namespaces.hide(tx, name);
    return this.namespaces.holderKeys(tx, name);
  }

  async remove(tx: TypeOrmTx, name: string): Promise<InvalidationKey[]> {
    const keys = await this.namespaces.holderKeys(tx, name);
    await this.namespaces.removeGrants(tx, name);
    await this.namespaces.remove(tx, name);
    return keys;
  }
}
