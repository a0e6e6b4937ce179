import { Injectable } from '@nestjs/common';
import { entityRows, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { LogLine, StepReport } from '../components/step-context';
import type { Usage } from '../platform-client/platform-usage';
import { IS_BEHIND } from '../run-queue/run-queue.repository';
import type { Run } from '../runs/run.entity';
import type { RunState } from '../runs/run-state';
import { RunStep } from '../runs/run-step.entity';
import { RunsRepository } from '../runs/runs.repository';
import { RunGone, type RunUnderWay } from './run-under-way';

/** For a worker: not for their orchestrator, for others of it, or for earlier ones of their schedule. */
const COUNT_WAITING = `
  SELECT count(*)::int AS waiting FROM (
    SELECT FROM orchestrator_run queued LEFT JOIN orchestrator ON orchestrator.id = queued.orchestrator_id
    WHERE queued.state = 'QUEUED' AND orchestrator.paused IS NOT TRUE AND NOT ${IS_BEHIND} AND (orchestrator.max_concurrent IS NULL OR orchestrator.max_concurrent > (
      SELECT count(*) FROM orchestrator_run run WHERE run.orchestrator_id = orchestrator.id AND run.state IN ('RUNNING', 'REQUEST_CANCEL') AND run.started_at IS NOT NULL))
    LIMIT 10000) AS waiting`;

export interface HeldRun {
  readonly run: Run;
  readonly steps: readonly RunStep[];
}

/** Runs as a worker holds them, under the lease of their job. */
@Injectable()
export class HeldRunsRepository {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly runs: RunsRepository,
  ) {}

  async countWaiting(): Promise<number> {
    const [row] = await this.unitOfWork.run((tx) => tx.query<{ waiting: number }>(COUNT_WAITING));
    return row?.waiting ?? 0;
  }

  /** Those that are gone are missing. */
  async statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, RunState>> {
    if (ids.length === 0) return new Map();
    const rows = await this.unitOfWork.peek((tx) => tx.query<{ id: string; state: RunState }>('SELECT id, state FROM orchestrator_run WHERE id = ANY($1::uuid[])', [ids]));
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Of PreparedSteps. */
  async preparedText(runId: string): Promise<string | undefined> {
    const [row] = await this.unitOfWork.peek((tx) => tx.query<{ prepared: string }>('SELECT prepared FROM orchestrator_run_preparation WHERE run_id = $1', [runId]));
    return row?.prepared;
  }

  async savePrepared(tx: TypeOrmTx, runId: string, text: string): Promise<void> {
    await tx.preparedLater('INSERT INTO orchestrator_run_preparation (run_id, prepared) VALUES ($1, $2) ON CONFLICT (run_id) DO NOTHING', [runId, text]);
  }

  async dropPrepared(tx: TypeOrmTx, runId: string): Promise<void> {
    await tx.preparedLater('DELETE FROM orchestrator_run_preparation WHERE run_id = $1', [runId]);
  }

  /** Keeps the run from others until the transaction ends. @throws LeaseLost, RunGone */
  async hold(tx: TypeOrmTx, { job, runId }: RunUnderWay): Promise<Run> {
    const [, run] = await tx.together(() => job.hold(tx), () => this.runs.lock(tx, runId));
    if (run === undefined) throw new RunGone(runId);
    return run;
  }

  /** In one trip. The steps are those that are there once nobody else has the run. */
  async holdWithSteps(tx: TypeOrmTx, { job, runId }: RunUnderWay): Promise<HeldRun> {
    const [, run, steps] = await tx.together(() => job.hold(tx), () => this.runs.lock(tx, runId), () => this.steps(tx, runId));
    if (run === undefined) throw new RunGone(runId);
    return { run, steps };
  }

  steps(tx: TypeOrmTx, runId: string): Promise<RunStep[]> {
    return entityRows(tx, RunStep, 'WHERE run_id = $1 ORDER BY position', [runId]);
  }

  async saveRun(tx: TypeOrmTx, { id, state, result, startedAt, updatedAt }: Run): Promise<void> {
    // Through SQL, since TypeORM would store the JSON value null as no value at all.
    await tx.preparedLater('UPDATE orchestrator_run SET state = $2, result = $3::jsonb, started_at = $4, updated_at = $5 WHERE id = $1',
      [id, state, toJson(result), startedAt, updatedAt]);
  }

  async addUsage(tx: TypeOrmTx, runId: string, { requests, bytes, processorMs }: Usage): Promise<void> {
    await tx.preparedLater('UPDATE orchestrator_run SET requests = requests + $2, bytes = bytes + $3, processor_ms = processor_ms + $4 WHERE id = $1', [runId, requests, bytes, processorMs]);
  }

  async saveStep(tx: TypeOrmTx, { id, state, statusMessage, result, attempts, retryAt }: RunStep): Promise<void> {
    await tx.preparedLater('UPDATE orchestrator_run_step SET state = $2, status_message = $3, result = $4::jsonb, attempts = $5, retry_at = $6 WHERE id = $1',
      [id, state, statusMessage, toJson(result), attempts, retryAt]);
  }

  async saveProgress(tx: TypeOrmTx, stepId: string, progress: unknown): Promise<void> {
    await tx.preparedLater('UPDATE orchestrator_run_step SET progress = $2::jsonb WHERE id = $1', [stepId, toJson(progress)]);
  }

  async saveReport(tx: TypeOrmTx, stepId: string, report: StepReport): Promise<void> {
    await tx.preparedLater('UPDATE orchestrator_run_step SET report = $2::jsonb WHERE id = $1', [stepId, toJson(report)]);
  }

  async appendLog(tx: TypeOrmTx, runId: string, level: string, message: string): Promise<void> {
    await tx.preparedLater('INSERT INTO orchestrator_run_log (run_id, at, level, message) VALUES ($1, clock_timestamp(), $2, $3)', [runId, level, message]);
  }

  /** In their order. */
  async appendLines(tx: TypeOrmTx, runId: string, lines: readonly LogLine[]): Promise<void> {
    await tx.preparedLater(
      `INSERT INTO orchestrator_run_log (run_id, at, level, message)
       SELECT $1::uuid, clock_timestamp(), level, message FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS line (level, message, nth) ORDER BY nth`,
      [runId, lines.map(({ level }) => level), lines.map(({ message }) => message)]);
  }
}

const toJson = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));
