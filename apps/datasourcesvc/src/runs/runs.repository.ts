import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { answerBytesOf, entityRows, joinWithin, packedBytes, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, In, type QueryDeepPartialEntity, type SelectQueryBuilder } from 'typeorm';
import { Run } from './run.entity';
import { OPEN_STATES, type RunState } from './run-state';
import { RunStep } from './run-step.entity';

export interface StoredRun {
  readonly run: Run;
  readonly steps: readonly RunStep[];
}

export interface RunFilter {
  readonly states: readonly string[] | undefined;
  readonly orchestratorIds: readonly string[] | undefined;
  readonly userTypes: readonly string[] | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Somebody has begun them. */
const UNDER_WAY: readonly RunState[] = ['RUNNING', 'REQUEST_CANCEL'];

/** As `orchestrator_run_open_of_schedule` says it. */
const IS_OPEN = `state IN (${OPEN_STATES.map((state) => `'${state}'`).join(', ')})`;

/** Of steps. */
const HEAVY_COLUMNS = ['actual_params', 'run_params', 'status_message', 'result', 'progress', 'report'];

@Injectable()
export class RunsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first. */
  async list(scope: NamespaceScope, filter: RunFilter, paging: Paging): Promise<Slice<StoredRun>> {
    const query = this.within(scope);
    if (filter.states) query.andWhere('run.state = ANY(:states)', { states: filter.states });
    if (filter.orchestratorIds) query.andWhere('run.orchestratorId = ANY(:orchestratorIds::uuid[])', { orchestratorIds: filter.orchestratorIds });
    if (filter.userTypes) query.andWhere('run.userType = ANY(:userTypes)', { userTypes: filter.userTypes });
    if (filter.from) query.andWhere('run.createdAt >= :from', { from: filter.from });
    if (filter.to) query.andWhere('run.createdAt <= :to', { to: filter.to });
    const slice = await sliceOf(query, paging, ['createdAt', 'id'], 'DESC');
    const packed = await this.packedSteps(slice.rows);
    return joinWithin(slice, answerBytesOf(this.dataSource), ({ id }) => packed.get(id), (some) => this.withSteps(some));
  }

  async find(scope: NamespaceScope, id: string): Promise<StoredRun | undefined> {
    const run = await this.findWithoutSteps(scope, id);
    return run && (await this.withSteps([run]))[0];
  }

  async findWithoutSteps(scope: NamespaceScope, id: string): Promise<Run | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('run.id = :id', { id }).getOne()) ?? undefined;
  }

  /** Ids of an orchestrator's runs that have not ended, the oldest first. */
  async openOf(scope: NamespaceScope, orchestratorId: string, limit: number): Promise<string[]> {
    const rows = await this.within(scope).andWhere('run.orchestratorId = :orchestratorId AND run.state = ANY(:open)', { orchestratorId, open: OPEN_STATES })
      .select('run.id', 'id').orderBy('run.createdAt').addOrderBy('run.id').limit(limit).getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }

  /** Serialises the starts of runs in these namespaces until the transaction ends, so that a count of them stays true. */
  async lockQueues(tx: TypeOrmTx, namespaces: readonly string[]): Promise<void> {
    for (const namespace of [...namespaces].sort()) {
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`run queue of ${namespace}`]);
    }
  }

  /** The highest number of queued runs in any of these namespaces. */
  async countQueued(tx: TypeOrmTx, namespaces: readonly string[]): Promise<number> {
    const [row] = await tx.query<{ most: string }>(
      `SELECT coalesce(max(queued), 0) AS most FROM (
         SELECT (SELECT count(*) FROM orchestrator_run WHERE state = 'QUEUED' AND namespaces @> ARRAY[asked.namespace]) AS queued
         FROM unnest($1::text[]) AS asked (namespace)) counted`, [namespaces]);
    return Number(row?.most ?? 0);
  }

  async insert(tx: TypeOrmTx, { run, steps }: StoredRun): Promise<void> {
    await tx.manager.insert(Run, row(run));
    await tx.manager.insert(RunStep, steps.map((step) => row(step)));
  }

  /** The run as it is now, and as it stays until the transaction ends. */
  async lock(tx: TypeOrmTx, id: string): Promise<Run | undefined> {
    return (await entityRows(tx, Run, 'WHERE id = $1 FOR UPDATE', [id]))[0];
  }

  /** Whether its schedule has made a run for this due time already. */
  async isMade(tx: TypeOrmTx, scheduleId: string, dueAt: Date): Promise<boolean> {
    return tx.manager.existsBy(Run, { scheduleId, scheduleDueAt: dueAt });
  }

  /** Whether a run of the schedule has not ended. */
  async isUnderWay(tx: TypeOrmTx, scheduleId: string): Promise<boolean> {
    return (await tx.query(`SELECT 1 FROM orchestrator_run WHERE schedule_id = $1 AND ${IS_OPEN} LIMIT 1`, [scheduleId])).length > 0;
  }

  async setState(tx: TypeOrmTx, id: string, state: RunState, at: Date): Promise<void> {
    await tx.manager.update(Run, { id }, { state, updatedAt: at });
  }

  /** Steps that are in one of `from`. */
  async setStepStates(tx: TypeOrmTx, runId: string, from: readonly RunState[], to: RunState): Promise<void> {
    await tx.manager.update(RunStep, { runId, state: In([...from]) }, { state: to });
  }

  /** Of its steps that have failed and are tried again later: nobody holds a run that has such a step, although it is under way. */
  async componentsTriedLater(tx: TypeOrmTx, runId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>('SELECT component_id AS id FROM orchestrator_run_step WHERE run_id = $1 AND retry_at IS NOT NULL', [runId]);
    return rows.map(({ id }) => id);
  }

  /** Of an orchestrator, those in one of the states, as they are now and stay until the transaction ends. */
  lockOpenOf(tx: TypeOrmTx, orchestratorId: string, open: readonly RunState[]): Promise<Run[]> {
    return tx.manager.find(Run, { where: { orchestratorId, state: In([...open]) }, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
  }

  /** For a purge: has runs that lie in this namespace alone, and are under way, cancelled. Answers those that are there still. */
  async cancelIn(tx: TypeOrmTx, namespace: string, limit: number): Promise<string[]> {
    const rows = await tx.query<{ id: string; state: RunState }>(
      `SELECT id, state FROM orchestrator_run WHERE namespaces @> ARRAY[$1::text] AND namespaces <@ ARRAY[$1::text] AND state = ANY($2) ORDER BY id LIMIT $3 FOR UPDATE`,
      [namespace, UNDER_WAY, limit],
    );
    const running = rows.filter(({ state }) => state === 'RUNNING').map(({ id }) => id);
    await this.requestCancel(tx, running, UNDER_WAY);
    await tx.query('UPDATE orchestrator_run SET updated_at = clock_timestamp() WHERE id = ANY($1::uuid[])', [running]);
    return rows.map(({ id }) => id);
  }

  /**
   * For a purge. Runs that lie in other namespaces too only leave this one; of the rest those are deleted that are not under way, and those whose worker has not
   * ended them in time: it may have lost their job to the purge, and writes nothing any more.
   */
  async leaveNamespace(tx: TypeOrmTx, namespace: string, limit: number): Promise<number> {
    const rows = await tx.query(
      `WITH held AS (
         SELECT id, namespaces <@ ARRAY[$1::text] AS alone FROM orchestrator_run
         WHERE namespaces @> ARRAY[$1::text] AND NOT (namespaces <@ ARRAY[$1::text] AND state = ANY($2) AND updated_at > clock_timestamp() - interval '5 seconds') LIMIT $3 FOR UPDATE
       ), gone AS (
         DELETE FROM orchestrator_run WHERE id IN (SELECT id FROM held WHERE alone)
       ), kept AS (
         UPDATE orchestrator_run SET namespaces = array_remove(namespaces, $1) WHERE id IN (SELECT id FROM held WHERE NOT alone)
       )
       SELECT id FROM held`,
      [namespace, UNDER_WAY, limit],
    );
    return rows.length;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(Run, { id });
  }

  /** Of runs and of their steps, those that are in one of `open`. */
  private async requestCancel(tx: TypeOrmTx, ids: readonly string[], open: readonly RunState[]): Promise<void> {
    const cancel = `SET state = 'REQUEST_CANCEL' WHERE state = ANY($2)`;
    await tx.query(`UPDATE orchestrator_run ${cancel} AND id = ANY($1::uuid[])`, [ids, open]);
    await tx.query(`UPDATE orchestrator_run_step ${cancel} AND run_id = ANY($1::uuid[])`, [ids, open]);
  }

  /** What the steps of each run hold, by its id. */
  private async packedSteps(runs: readonly Run[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.dataSource.query<{ run_id: string; packed: string }[]>(
      `SELECT run_id, sum(${packedBytes(HEAVY_COLUMNS)}) AS packed FROM orchestrator_run_step WHERE run_id = ANY($1::uuid[]) GROUP BY run_id`, [runs.map(({ id }) => id)],
    );
    return new Map(rows.map((row) => [row.run_id, Number(row.packed)]));
  }

  private async withSteps(runs: readonly Run[]): Promise<StoredRun[]> {
    const steps = runs.length === 0 ? [] : await this.dataSource.getRepository(RunStep).find({
      where: { runId: In(runs.map(({ id }) => id)) }, order: { position: 'ASC' },
    });
    return runs.map((run) => ({ run, steps: steps.filter(({ runId }) => runId === run.id) }));
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<Run> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'run.namespaces', id: 'run.orchestrator_id' });
    return this.dataSource.getRepository(Run).createQueryBuilder('run').where(sql, parameters);
  }
}

/** TypeORM's type of a row takes no `unknown`, which results and parameters are. */
const row = <T extends Run | RunStep>(values: T) => values as QueryDeepPartialEntity<T>;
