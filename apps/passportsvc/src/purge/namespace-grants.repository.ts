import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { SqlTx } from '@twinyard/service-kit';

interface HolderRow {
  readonly principal_type: string;
  readonly principal_id: string;
}

/** Permissions and permission profiles of a namespace that is purged. */
@Injectable()
export class NamespaceGrantsRepository {
  /** Answers whose they were. */
  async removePermissions(tx: SqlTx, namespace: string, limit: number): Promise<InvalidationKey[]> {
    const rows = await tx.query<HolderRow>(
      `DELETE FROM permission WHERE id IN (SELECT id FROM permission WHERE namespace = $1 LIMIT $2 FOR UPDATE) RETURNING principal_type, principal_id`,
      [namespace, limit],
    );
    return rows.map(({ principal_type, principal_id }) => `${principal_type}:${principal_id}`);
  }

  /** A profile that is known in other namespaces too is only forgotten in this one. Answers which there were. */
  async removeProfiles(tx: SqlTx, namespace: string, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string; alone: boolean }>(
      `SELECT id, namespaces <@ ARRAY[$1::text] AS alone FROM permission_profile WHERE namespaces @> ARRAY[$1::text] LIMIT $2 FOR UPDATE`, [namespace, limit],
    );
    const gone = rows.filter(({ alone }) => alone).map(({ id }) => id);
    const kept = rows.filter(({ alone }) => !alone).map(({ id }) => id);
    await tx.query(`DELETE FROM permission WHERE principal_type = 'permprofile' AND principal_id = ANY($1)`, [gone]);
    await tx.query('DELETE FROM permission_profile WHERE id = ANY($1::uuid[])', [gone]);
    await tx.query('DELETE FROM permission_profile_name WHERE namespace = $1 AND profile_id = ANY($2::uuid[])', [namespace, kept]);
    await tx.query('UPDATE permission_profile SET namespaces = array_remove(namespaces, $1) WHERE id = ANY($2::uuid[])', [namespace, kept]);
    return rows.map(({ id }) => id);
  }
}
