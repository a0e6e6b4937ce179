import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Run } from '../runs/run.entity';

export interface RunLimits {
  readonly paused: boolean;
  readonly maxConcurrent: number | null;
}

export type QueuedRun = Pick<Run, 'id' | 'namespaces' | 'instant' | 'requestId'>;

/** States are written out, so that the index of runs that have not ended is used. */
const QUEUED = `
  SELECT id, namespaces, instant, request_id AS "requestId" FROM orchestrator_run WHERE orchestrator_id = $1 AND state = 'QUEUED'`;
const IN_ORDER = 'ORDER BY created_at, id LIMIT $2';

@Injectable()
export class RunQueueRepository {
  /** Of an orchestrator that is there. */
  async limitsOf(tx: TypeOrmTx, orchestratorId: string): Promise<RunLimits | undefined> {
    const [limits] = await tx.query<RunLimits>('SELECT paused, max_concurrent AS "maxConcurrent" FROM orchestrator WHERE id = $1', [orchestratorId]);
    return limits;
  }

  /** Keeps others from counting until the transaction ends, so that the count stays true. */
  async countUnderWay(tx: TypeOrmTx, orchestratorId: string): Promise<number> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`runs of ${orchestratorId}`]);
    const [row] = await tx.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM orchestrator_run WHERE orchestrator_id = $1 AND state IN ('RUNNING', 'REQUEST_CANCEL') AND started_at IS NOT NULL`, [orchestratorId]);
    return row?.count ?? 0;
  }

  /** The oldest first. */
  queuedOf(tx: TypeOrmTx, orchestratorId: string, limit: number): Promise<QueuedRun[]> {
    return tx.query<QueuedRun>(`${QUEUED} ${IN_ORDER}`, [orchestratorId, limit]);
  }

  /** The same, where they wait for each other. */
  nextOf(tx: TypeOrmTx, orchestratorId: string, limit: number): Promise<QueuedRun[]> {
    return tx.query<QueuedRun>(`${QUEUED} AND (in_turn OR EXISTS (SELECT FROM orchestrator WHERE id = $1 AND max_concurrent IS NOT NULL AND NOT paused)) ${IN_ORDER}`, [orchestratorId, limit]);
  }
}
