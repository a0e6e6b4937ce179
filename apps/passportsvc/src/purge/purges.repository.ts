import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';

/** The purge of what a workspace or user group owned. */
export interface Purge {
  readonly namespace: string;
  readonly irn: string;
  /** Of the application or organization that it was made in: whose owners hear of it. */
  readonly parentNamespace: string;
  readonly askedById: string;
  readonly requestId: string;
}

export interface PurgeProgress extends Purge {
  /** Services that keep nothing of the namespace any more. */
  readonly doneBy: readonly string[];
}

interface Row {
  readonly namespace: string;
  readonly irn: string;
  readonly parent_namespace: string;
  readonly asked_by_id: string;
  readonly request_id: string;
  readonly done_by: string[];
}

@Injectable()
export class PurgesRepository {
  /** From the beginning again when it was asked for before: so every service says anew that it has done it. */
  async begin(tx: SqlTx, { namespace, irn, parentNamespace, askedById, requestId }: Purge): Promise<void> {
    await tx.query(
      `INSERT INTO purge (namespace, irn, parent_namespace, asked_by_id, request_id) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (namespace) DO UPDATE SET asked_at = now(), asked_by_id = excluded.asked_by_id, request_id = excluded.request_id, done_by = '{}'`,
      [namespace, irn, parentNamespace, askedById, requestId],
    );
  }

  /** `undefined`: nobody waits for it, since it has ended, or was asked for anew. */
  async noteDone(tx: SqlTx, namespace: string, service: string, requestId: string): Promise<PurgeProgress | undefined> {
    const [row] = await tx.query<Row>(
      'UPDATE purge SET done_by = array_remove(done_by, $2) || $2 WHERE namespace = $1 AND request_id = $3 RETURNING *', [namespace, service, requestId],
    );
    return row && {
      namespace: row.namespace, irn: row.irn, parentNamespace: row.parent_namespace, askedById: row.asked_by_id, requestId: row.request_id, doneBy: row.done_by,
    };
  }

  /** With the record of the workspace, which was kept hidden until then. */
  async end(tx: SqlTx, namespace: string): Promise<void> {
    await tx.query('DELETE FROM workspace WHERE namespace = $1 AND hidden', [namespace]);
    await tx.query('DELETE FROM namespace WHERE name = $1 AND hidden', [namespace]);
    await tx.query('DELETE FROM purge WHERE namespace = $1', [namespace]);
  }

  async count(tx: SqlTx): Promise<number> {
    const [row] = await tx.query<{ count: string }>('SELECT count(*) FROM purge');
    return Number(row?.count);
  }
}
