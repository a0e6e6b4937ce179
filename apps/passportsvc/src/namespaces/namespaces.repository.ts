import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { NamespaceEntity } from './namespace.entity';

@Injectable()
export class NamespacesRepository {
  async insert(tx: TypeOrmTx, namespace: NamespaceEntity): Promise<void> {
    await tx.manager.insert(NamespaceEntity, namespace);
  }

  async hide(tx: TypeOrmTx, name: string): Promise<void> {
    await tx.manager.update(NamespaceEntity, { name }, { hidden: true });
  }

  async remove(tx: TypeOrmTx, name: string): Promise<void> {
    await tx.manager.delete(NamespaceEntity, { name });
  }

  /** Everybody who holds anything in a namespace, as keys of the change feed. */
  async holderKeys(tx: TypeOrmTx, name: string): Promise<string[]> {
    const rows = await tx.query<{ key: string }>(
      `SELECT DISTINCT principal_type || ':' || principal_id AS key FROM permission WHERE namespace = $1`, [name],
    );
    return rows.map(({ key }) => key);
  }

  /** Takes back everything that was granted in a namespace that is deleted. */
  async removeGrants(tx: TypeOrmTx, name: string): Promise<void> {
    await tx.query('DELETE FROM permission WHERE namespace = $1', [name]);
  }
}
