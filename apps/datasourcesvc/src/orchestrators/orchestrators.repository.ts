import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { leaveNamespace, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type QueryDeepPartialEntity, type SelectQueryBuilder } from 'typeorm';
import { Orchestrator } from './orchestrator.entity';

@Injectable()
export class OrchestratorsRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(scope: NamespaceScope, paging: Paging): Promise<Slice<Orchestrator>> {
    return sliceOf(this.within(scope), paging, ['createdAt', 'id']);
  }

  async find(scope: NamespaceScope, id: string): Promise<Orchestrator | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('orchestrator.id = :id', { id }).getOne()) ?? undefined;
  }

  async insert(tx: TypeOrmTx, orchestrator: Orchestrator): Promise<void> {
    await tx.manager.insert(Orchestrator, row(orchestrator));
  }

  /** Of one that is locked. */
  async update(tx: TypeOrmTx, orchestrator: Orchestrator): Promise<void> {
    const { id, ...changes } = orchestrator;
    await tx.manager.update(Orchestrator, { id }, row(changes));
  }

  /** Keeps it from being deleted until the transaction ends. */
  async hold(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.query('SELECT 1 FROM orchestrator WHERE id = $1 FOR KEY SHARE', [id])).length > 0;
  }

  /** As it is now. Until the transaction ends it stays so, gets no schedule and has no run started. */
  async lock(tx: TypeOrmTx, id: string): Promise<Orchestrator | undefined> {
    return (await tx.manager.findOne(Orchestrator, { where: { id }, lock: { mode: 'pessimistic_write' } })) ?? undefined;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(Orchestrator, { id });
  }

  /** For a purge. The number of orchestrators that are gone, or lie only in other namespaces by now. */
  leaveNamespace(tx: TypeOrmTx, namespace: string, limit: number): Promise<number> {
    return leaveNamespace(tx, 'orchestrator', namespace, limit);
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<Orchestrator> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'orchestrator.namespaces', id: 'orchestrator.id' });
    return this.dataSource.getRepository(Orchestrator).createQueryBuilder('orchestrator').where(sql, parameters);
  }
}

/** TypeORM's type of a row takes no `unknown`, which the parameters of a step hold. */
const row = (values: Partial<Orchestrator>) => values as QueryDeepPartialEntity<Orchestrator>;
