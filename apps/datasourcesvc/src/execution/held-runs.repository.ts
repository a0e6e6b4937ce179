import { Injectable } from '@nestjs/common';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { StepReport } from '../components/step-context';
import { Run } from '../runs/run.entity';
import type { RunState } from '../runs/run-state';
import { RunStep } from '../runs/run-step.entity';
import { type LeaseKey, LeaseLost } from './run-lease';

const CLAIMED = `lease_owner = $1, lease_token = lease_token + 1, lease_until = clock_timestamp() + $2 * interval '1 millisecond'`;

/** The oldest run in one of the states that nobody holds; rows that another worker is just taking are passed over. */
const CLAIM_NEXT = `
  UPDATE orchestrator_run SET ${CLAIMED}
  WHERE id = (
    SELECT id FROM orchestrator_run
    WHERE state = ANY($3::text[]) AND (lease_until IS NULL OR lease_until < clock_timestamp())
    ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id, lease_token`;

const COUNT_WAITING = `SELECT count(*)::int AS waiting FROM (SELECT FROM orchestrator_run WHERE state = 'QUEUED' LIMIT 10000) AS waiting`;

interface ClaimedRow {
  readonly id: string;
  readonly lease_token: string;
}

const toKey = ({ id, lease_token: token }: ClaimedRow): LeaseKey => ({ runId: id, token });

/** Runs as a worker holds them: every write names the lease that it is made under. */
@Injectable()
export class HeldRunsRepository {
  constructor(private readonly unitOfWork: TypeOrmUnitOfWork) {}

  async claimNext(owner: string, leaseMs: number, states: readonly RunState[]): Promise<LeaseKey | undefined> {
    const [row] = await this.unitOfWork.run((tx) => tx.query<ClaimedRow>(CLAIM_NEXT, [owner, leaseMs, states]));
    return row && toKey(row);
  }

  /** A run that the same transaction made. */
  async claimNew(tx: TypeOrmTx, runId: string, owner: string, leaseMs: number): Promise<LeaseKey> {
    const [row] = await tx.query<ClaimedRow>(`UPDATE orchestrator_run SET ${CLAIMED} WHERE id = $3 RETURNING id, lease_token`, [owner, leaseMs, runId]);
    return toKey(row as ClaimedRow);
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.unitOfWork.run((tx) => tx.query<{ waiting: number }>(COUNT_WAITING));
    return row?.waiting ?? 0;
  }

  async renew({ runId, token }: LeaseKey, leaseMs: number): Promise<RunState | undefined> {
    const [row] = await this.unitOfWork.run((tx) => tx.query<{ state: RunState }>(
      `UPDATE orchestrator_run SET lease_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE id = $1 AND lease_token = $2 RETURNING state`,
      [runId, token, leaseMs]));
    return row?.state;
  }

  /** Locks the run until the transaction ends; throws LeaseLost when the lease is not the newest. */
  async hold(tx: TypeOrmTx, key: LeaseKey): Promise<Run> {
    const held = await tx.query('SELECT 1 FROM orchestrator_run WHERE id = $1 AND lease_token = $2 FOR UPDATE', [key.runId, key.token]);
    const run = held.length === 0 ? null : await tx.manager.findOneBy(Run, { id: key.runId });
    if (run === null) throw new LeaseLost(key);
    return run;
  }

  /** How often a run was taken over that had begun, this time included. */
  async countTakeover(tx: TypeOrmTx, runId: string): Promise<number> {
    const [row] = await tx.query<{ takeovers: number }>('UPDATE orchestrator_run SET takeovers = takeovers + 1 WHERE id = $1 RETURNING takeovers', [runId]);
    return row?.takeovers ?? 0;
  }

  steps(tx: TypeOrmTx, runId: string): Promise<RunStep[]> {
    return tx.manager.find(RunStep, { where: { runId }, order: { position: 'ASC' } });
  }

  async saveRun(tx: TypeOrmTx, { id, state, result, startedAt, updatedAt }: Run): Promise<void> {
    // Through SQL, since TypeORM would store the JSON value null as no value at all.
    await tx.query('UPDATE orchestrator_run SET state = $2, result = $3::jsonb, started_at = $4, updated_at = $5 WHERE id = $1',
      [id, state, toJson(result), startedAt, updatedAt]);
  }

  async saveStep(tx: TypeOrmTx, { id, state, statusMessage, result }: RunStep): Promise<void> {
    await tx.query('UPDATE orchestrator_run_step SET state = $2, status_message = $3, result = $4::jsonb WHERE id = $1',
      [id, state, statusMessage, toJson(result)]);
  }

  async saveProgress(tx: TypeOrmTx, stepId: string, progress: unknown): Promise<void> {
    await tx.query('UPDATE orchestrator_run_step SET progress = $2::jsonb WHERE id = $1', [stepId, toJson(progress)]);
  }

  async saveReport(tx: TypeOrmTx, stepId: string, report: StepReport): Promise<void> {
    await tx.query('UPDATE orchestrator_run_step SET report = $2::jsonb WHERE id = $1', [stepId, toJson(report)]);
  }

  async appendLog(tx: TypeOrmTx, runId: string, level: string, message: string): Promise<void> {
    await tx.query('INSERT INTO orchestrator_run_log (run_id, at, level, message) VALUES ($1, clock_timestamp(), $2, $3)', [runId, level, message]);
  }

  /** Anybody may take it at once. The token moves on, lest a heartbeat under way renew what was given up. */
  async release(tx: TypeOrmTx, { runId, token }: LeaseKey): Promise<void> {
    await tx.query('UPDATE orchestrator_run SET lease_owner = NULL, lease_until = NULL, lease_token = lease_token + 1 WHERE id = $1 AND lease_token = $2', [runId, token]);
  }
}

const toJson = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));
