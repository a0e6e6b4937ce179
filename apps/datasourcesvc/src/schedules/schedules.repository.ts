import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { isUniqueViolation, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, In, type QueryDeepPartialEntity, type SelectQueryBuilder } from 'typeorm';
import { Orchestrator } from '../orchestrators/orchestrator.entity';
import { Schedule } from './schedule.entity';

export interface ScheduledOrchestrator {
  readonly schedule: Schedule;
  readonly orchestrator: Orchestrator;
}

@Injectable()
export class SchedulesRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(scope: NamespaceScope, paging: Paging): Promise<Slice<Schedule>> {
    return sliceOf(this.within(scope), paging, ['createdAt', 'id']);
  }

  async find(scope: NamespaceScope, id: string): Promise<Schedule | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('schedule.id = :id', { id }).getOne()) ?? undefined;
  }

  /** By the orchestrator's id; for orchestrators that the caller was found to see. What it would be started with is left out. */
  async ofOrchestrators(ids: readonly string[]): Promise<ReadonlyMap<string, Schedule>> {
    if (ids.length === 0) return new Map();
    const found = await this.dataSource.getRepository(Schedule).find({
      select: { id: true, orchestratorId: true, runInterval: true, cron: true, timezone: true, enabled: true, overlap: true, catchUp: true },
      where: { orchestratorId: In([...ids]) },
    });
    return new Map(found.map((schedule) => [schedule.orchestratorId, schedule]));
  }

  /** By the clock that jobs go by. */
  async now(tx: TypeOrmTx): Promise<Date> {
    const [row] = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    if (row === undefined) throw new Error('The database does not tell the time');
    return row.now;
  }

  /** @throws ServiceError `conflict` when the orchestrator has one */
  async insert(tx: TypeOrmTx, schedule: Schedule): Promise<void> {
    try {
      await tx.manager.insert(Schedule, row(schedule));
    } catch (error) {
      throw isUniqueViolation(error) ? conflict('The orchestrator has a schedule already') : error;
    }
  }

  /** Of one that is locked. */
  async update(tx: TypeOrmTx, schedule: Schedule): Promise<void> {
    const { id, ...changes } = schedule;
    await tx.manager.update(Schedule, { id }, row(changes));
  }

  /** What a turn of its job has come to. */
  async saveTurn(tx: TypeOrmTx, { id, nextDueAt, enabled, refusals }: Schedule): Promise<void> {
    await tx.manager.update(Schedule, { id }, { nextDueAt, enabled, refusals });
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(Schedule, { id });
  }

  /** As it is right now; nobody is kept from changing it. */
  async look(tx: TypeOrmTx, id: string): Promise<ScheduledOrchestrator | undefined> {
    const schedule = await tx.manager.findOne(Schedule, { where: { id } });
    const orchestrator = schedule && (await tx.manager.findOne(Orchestrator, { where: { id: schedule.orchestratorId } }));
    return schedule && orchestrator ? { schedule, orchestrator } : undefined;
  }

  /** Keeps both until the transaction ends: the orchestrator from being deleted, first, as who deletes it has it first, and the schedule from any change. */
  async lock(tx: TypeOrmTx, id: string): Promise<ScheduledOrchestrator | undefined> {
    const seen = await this.look(tx, id);
    const orchestrator = seen && (await tx.manager.findOne(Orchestrator, { where: { id: seen.orchestrator.id }, lock: { mode: 'for_key_share' } }));
    const schedule = orchestrator && (await tx.manager.findOne(Schedule, { where: { id }, lock: { mode: 'pessimistic_write' } }));
    return schedule && orchestrator ? { schedule, orchestrator } : undefined;
  }

  /** The schedule of an orchestrator that is locked; kept from any change until the transaction ends. */
  async lockOf(tx: TypeOrmTx, orchestratorId: string): Promise<Schedule | undefined> {
    return (await tx.manager.findOne(Schedule, { where: { orchestratorId }, lock: { mode: 'pessimistic_write' } })) ?? undefined;
  }

  /** For a purge: those that lie in no other namespace are deleted, the rest only leave this one. The number of both, and what stays of the rest. */
  async leaveNamespace(tx: TypeOrmTx, namespace: string, limit: number): Promise<{ readonly removed: number; readonly kept: readonly LeftSchedule[] }> {
    const rows = await tx.query<LeftSchedule & { readonly isKept: boolean }>(
      `WITH held AS (
         SELECT id, cardinality(array_remove(namespaces, $1)) = 0 AS alone FROM orchestrator_schedule WHERE namespaces @> ARRAY[$1::text] LIMIT $2 FOR UPDATE
       ), gone AS (
         DELETE FROM orchestrator_schedule WHERE id IN (SELECT id FROM held WHERE alone)
       ), kept AS (
         UPDATE orchestrator_schedule SET namespaces = array_remove(namespaces, $1) WHERE id IN (SELECT id FROM held WHERE NOT alone)
         RETURNING id, namespaces, next_due_at
       )
       SELECT held.id, NOT alone AS "isKept", kept.namespaces, kept.next_due_at AS "nextDueAt" FROM held LEFT JOIN kept ON kept.id = held.id`,
      [namespace, limit],
    );
    return { removed: rows.length, kept: rows.filter(({ isKept }) => isKept) };
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<Schedule> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'orchestrator.namespaces', id: 'orchestrator.id' });
    return this.dataSource.getRepository(Schedule).createQueryBuilder('schedule')
      .where(`schedule.orchestrator_id IN (SELECT orchestrator.id FROM orchestrator WHERE ${sql})`, parameters);
  }
}

export type LeftSchedule = Pick<Schedule, 'id' | 'namespaces' | 'nextDueAt'>;

/** TypeORM's type of a row takes no `unknown`, which parameters hold. */
const row = (values: Partial<Schedule>) => values as QueryDeepPartialEntity<Schedule>;
