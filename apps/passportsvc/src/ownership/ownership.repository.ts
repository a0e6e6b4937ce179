import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import type { PrincipalRef } from '../permissions/permissions.repository';

/** Contract 0.4: a `*` on `*:*:*` makes its holder the owner of the namespace. `p` is the permission. */
const MAKES_OWNER = `p.irn = '*:*:*' AND '*' = ANY(p.actions)`;

/** A client or a profile is nobody who could sign in and give rights back. CASE keeps ids of clients from being read as UUIDs. */
const IS_HELD_BY_SOMEBODY = `CASE p.principal_type
  WHEN 'user' THEN EXISTS (SELECT FROM app_user u WHERE u.id = p.principal_id::uuid AND NOT u.disabled)
  WHEN 'usergroup' THEN EXISTS (SELECT FROM usergroup_member m JOIN app_user u ON u.id = m.user_id
                                WHERE m.group_id = p.principal_id::uuid AND NOT u.disabled)
  ELSE false END`;

/** That nobody owns, of those that are there: a deleted or hidden namespace needs no owner. `n` is the namespace. */
const IS_OWNERLESS = `NOT n.hidden AND NOT EXISTS (SELECT FROM permission p WHERE p.namespace = n.name AND ${MAKES_OWNER} AND ${IS_HELD_BY_SOMEBODY})`;

export interface OwnerlessNamespace {
  readonly name: string;
  readonly kind: string;
}

@Injectable()
export class OwnershipRepository {
  /** Those of `names` that have no living owner. */
  async ownerlessAmong(tx: SqlTx, names: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ name: string }>(`SELECT n.name FROM namespace n WHERE n.name = ANY($1) AND ${IS_OWNERLESS}`, [names]);
    return rows.map(({ name }) => name);
  }

  /** For operators: at most `limit`, in the order of their names, after one. */
  listOwnerless(tx: SqlTx, after: string, limit: number): Promise<OwnerlessNamespace[]> {
    return tx.query<OwnerlessNamespace>(`SELECT n.name, n.kind FROM namespace n WHERE n.name > $1 AND ${IS_OWNERLESS} ORDER BY n.name LIMIT $2`, [after, limit]);
  }

  /** Where these hold what makes an owner, themselves. */
  async ownedBy(tx: SqlTx, principals: readonly PrincipalRef[]): Promise<string[]> {
    const rows = await tx.query<{ namespace: string }>(
      `SELECT DISTINCT p.namespace FROM permission p JOIN unnest($1::text[], $2::text[]) AS principal (type, id)
         ON p.principal_type = principal.type AND p.principal_id = principal.id
       WHERE ${MAKES_OWNER}`,
      [principals.map(({ type }) => type), principals.map(({ id }) => id)],
    );
    return rows.map(({ namespace }) => namespace);
  }

  async isThere(tx: SqlTx, namespace: string): Promise<boolean> {
    return (await tx.query('SELECT FROM namespace WHERE name = $1 AND NOT hidden FOR KEY SHARE', [namespace])).length > 0;
  }

  /** Somebody who can sign in and manages the platform. */
  async hasPlatformManager(tx: SqlTx): Promise<boolean> {
    return (await tx.query('SELECT FROM app_user WHERE platform_manager AND NOT disabled LIMIT 1')).length > 0;
  }
}
