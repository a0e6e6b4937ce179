import type { SqlTx } from '@twinyard/service-kit';
import { type PurgeRequest, PurgeStore } from './purge-store';

const REQUEST = 'namespace, asked_by_id AS "askedById", request_id AS "requestId"';

/** In the service's PostgreSQL database. */
export class SqlPurgeStore extends PurgeStore<SqlTx> {
  override async ask(tx: SqlTx, { namespace, askedById, requestId }: PurgeRequest): Promise<void> {
    await tx.query(
      `INSERT INTO namespace_purge (namespace, asked_by_id, request_id) VALUES ($1, $2, $3)
       ON CONFLICT (namespace) DO UPDATE SET asked_by_id = $2, request_id = $3, finished_at = NULL`,
      [namespace, askedById, requestId],
    );
  }

  override async finish(tx: SqlTx, { namespace, requestId }: PurgeRequest, removed: number): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE namespace_purge SET finished_at = clock_timestamp(), removed = $3 WHERE namespace = $1 AND request_id = $2 AND finished_at IS NULL RETURNING 1`,
      [namespace, requestId, removed],
    );
    return rows.length === 1;
  }

  override async purgedOf(tx: SqlTx, namespaces: readonly string[]): Promise<string[]> {
    return (await tx.prepared<{ namespace: string }>('SELECT namespace FROM namespace_purge WHERE namespace = ANY($1)', [namespaces])).map(({ namespace }) => namespace);
  }

  override unfinishedAfter(tx: SqlTx, after: string, limit: number): Promise<PurgeRequest[]> {
    return tx.query(`SELECT ${REQUEST} FROM namespace_purge WHERE finished_at IS NULL AND namespace > $1 ORDER BY namespace LIMIT $2`, [after, limit]);
  }

  override async unfinished(tx: SqlTx): Promise<number> {
    const [row] = await tx.query<{ count: string }>('SELECT count(*) FROM namespace_purge WHERE finished_at IS NULL');
    return Number(row?.count);
  }
}
