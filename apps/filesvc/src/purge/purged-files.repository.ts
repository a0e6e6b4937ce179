import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

/** Files and folders of a namespace that is purged. */
@Injectable()
export class PurgedFilesRepository {
  /** Some that lie in this namespace alone and have nothing below them: a folder goes after what it holds, in steps of a bounded size. */
  async lockLeaves(tx: TypeOrmTx, namespace: string, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM file WHERE namespaces @> ARRAY[$1::text] AND namespaces <@ ARRAY[$1::text]
         AND NOT EXISTS (SELECT FROM file below WHERE below.parent_id = file.id) LIMIT $2 FOR UPDATE`,
      [namespace, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** What lies in other namespaces too only leaves this one, with its name at the root. */
  async leaveNamespace(tx: TypeOrmTx, namespace: string, limit: number): Promise<number> {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM file WHERE namespaces @> ARRAY[$1::text] AND NOT (namespaces <@ ARRAY[$1::text]) LIMIT $2 FOR UPDATE`, [namespace, limit],
    );
    const ids = rows.map(({ id }) => id);
    await tx.query('DELETE FROM file_name_slot WHERE place = $1 AND file_id = ANY($2::uuid[])', [`root of ${namespace}`, ids]);
    await tx.query('UPDATE file SET namespaces = array_remove(namespaces, $1), revision = revision + 1 WHERE id = ANY($2::uuid[])', [namespace, ids]);
    return ids.length;
  }
}
