import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Run } from '../runs/run.entity';

export interface RunLimits {
  readonly paused: boolean;
  readonly maxConcurrent: number | null;
}

export type QueuedRun = Pick<Run, 'id' | 'namespaces' | 'instant' | 'requestId'>;

/** Of a run that is called `queued`: earlier ones of its schedule have not ended. States are written out here, so that the indexes of runs that have not ended are used. */
export const IS_BEHIND = `(queued.in_turn AND EXISTS (
  SELECT FROM orchestrator_run earlier WHERE earlier.schedule_id = queued.schedule_id AND earlier.schedule_due_at < queued.schedule_due_at
    AND earlier.state IN ('QUEUED', 'RUNNING', 'REQUEST_CANCEL')))`;

/**
 * Of an orchestrator that is there and not paused, those that wait for none before them, the oldest first. They come in the order of their ids: whoever locks
 * the jobs of several goes by it.
 */
const nextOf = (condition: string) => `
  SELECT id, namespaces, instant, request_id AS "requestId" FROM (
    SELECT queued.* FROM orchestrator_run queued JOIN orchestrator ON orchestrator.id = queued.orchestrator_id
    WHERE queued.orchestrator_id = $1 AND queued.state = 'QUEUED' AND NOT orchestrator.paused AND NOT ${IS_BEHIND} AND ${condition}
    ORDER BY queued.created_at, queued.id LIMIT $2) next
  ORDER BY id`;
const NEXT = nextOf('true');
const NEXT_THAT_WAITED = nextOf('(queued.in_turn OR orchestrator.max_concurrent IS NOT NULL)');

@Injectable()
export class RunQueueRepository {
  async isBehind(tx: TypeOrmTx, runId: string): Promise<boolean> {
    return (await tx.query(`SELECT 1 FROM orchestrator_run queued WHERE id = $1 AND ${IS_BEHIND}`, [runId])).length > 0;
  }

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

  next(tx: TypeOrmTx, orchestratorId: string, limit: number): Promise<QueuedRun[]> {
    return tx.query<QueuedRun>(NEXT, [orchestratorId, limit]);
  }

  /** None, where its runs wait for workers alone. */
  nextThatWaited(tx: TypeOrmTx, orchestratorId: string, limit: number): Promise<QueuedRun[]> {
    return tx.query<QueuedRun>(NEXT_THAT_WAITED, [orchestratorId, limit]);
  }
}
