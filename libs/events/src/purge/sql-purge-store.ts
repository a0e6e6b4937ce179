import type { SqlTx } from '@twinyard/service-kit';
import { type PurgeJob, type PurgeLease, type PurgePass, type PurgeRequest, PurgeStore } from './purge-store';

interface Row {
  readonly namespace: string;
  readonly asked_by_id: string;
  readonly request_id: string;
  readonly pass: PurgePass;
  readonly removed: string;
}

const IN = (parameter: string) => `clock_timestamp() + ${parameter} * interval '1 millisecond'`;

const CLAIM = `
  UPDATE namespace_purge SET leased_by = $1, leased_until = ${IN('$2')}
  WHERE namespace = (
    SELECT namespace FROM namespace_purge
    WHERE finished_at IS NULL AND due_at <= clock_timestamp() AND (leased_until IS NULL OR leased_until < clock_timestamp())
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING namespace, asked_by_id, request_id, pass, removed`;

const HELD = 'namespace = $1 AND leased_by = $2 AND finished_at IS NULL';

/** In the service's PostgreSQL database. */
export class SqlPurgeStore extends PurgeStore<SqlTx> {
  override async ask(tx: SqlTx, { namespace, askedById, requestId }: PurgeRequest): Promise<void> {
    await tx.query(
      `INSERT INTO namespace_purge (namespace, asked_by_id, request_id) VALUES ($1, $2, $3)
       ON CONFLICT (namespace) DO UPDATE
       SET asked_by_id = $2, request_id = $3, pass = 'FIRST', due_at = clock_timestamp(), leased_by = NULL, leased_until = NULL, finished_at = NULL`,
      [namespace, askedById, requestId],
    );
  }

  override async claim(tx: SqlTx, { owner, leaseMs }: PurgeLease): Promise<PurgeJob | undefined> {
    const [row] = await tx.query<Row>(CLAIM, [owner, leaseMs]);
    return row && { namespace: row.namespace, askedById: row.asked_by_id, requestId: row.request_id, pass: row.pass, removed: Number(row.removed) };
  }

  override async hold(tx: SqlTx, { owner, leaseMs }: PurgeLease, { namespace, removed }: PurgeJob): Promise<boolean> {
    const rows = await tx.query(`UPDATE namespace_purge SET leased_until = ${IN('$3')}, removed = $4 WHERE ${HELD} RETURNING 1`, [namespace, owner, leaseMs, removed]);
    return rows.length === 1;
  }

  override async release(tx: SqlTx, owner: string, { namespace, pass, removed }: PurgeJob, delayMs: number): Promise<void> {
    await tx.query(
      `UPDATE namespace_purge SET leased_by = NULL, leased_until = NULL, due_at = ${IN('$3')}, pass = $4, removed = $5 WHERE ${HELD}`,
      [namespace, owner, delayMs, pass, removed],
    );
  }

  override async finish(tx: SqlTx, owner: string, { namespace, removed }: PurgeJob): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE namespace_purge SET leased_by = NULL, leased_until = NULL, finished_at = clock_timestamp(), removed = $3 WHERE ${HELD} RETURNING 1`,
      [namespace, owner, removed],
    );
    return rows.length === 1;
  }

  override async purgedOf(tx: SqlTx, namespaces: readonly string[]): Promise<string[]> {
    return (await tx.prepared<Row>('SELECT namespace FROM namespace_purge WHERE namespace = ANY($1)', [namespaces])).map(({ namespace }) => namespace);
  }

  override async unfinished(tx: SqlTx): Promise<number> {
    const [row] = await tx.query<{ count: string }>('SELECT count(*) FROM namespace_purge WHERE finished_at IS NULL');
    return Number(row?.count);
  }
}
