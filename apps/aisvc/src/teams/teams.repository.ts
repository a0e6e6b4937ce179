import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { leaveNamespace, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { Team } from './team.entity';

@Injectable()
export class TeamsRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(scope: NamespaceScope, paging: Paging): Promise<Slice<Team>> {
    return sliceOf(this.within(scope), paging, ['createdAt', 'id']);
  }

  async find(scope: NamespaceScope, id: string): Promise<Team | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('team.id = :id', { id }).getOne()) ?? undefined;
  }

  async insert(tx: TypeOrmTx, team: Team): Promise<void> {
    await tx.manager.insert(Team, team);
  }

  /** False when it has been deleted meanwhile. */
  async update(tx: TypeOrmTx, team: Team): Promise<boolean> {
    const { id, ...changes } = team;
    return ((await tx.manager.update(Team, { id }, changes)).affected ?? 0) > 0;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return ((await tx.manager.delete(Team, { id })).affected ?? 0) > 0;
  }

  /** For a purge. The number of teams that are gone, or lie only in other namespaces by now. */
  leaveNamespace(tx: TypeOrmTx, namespace: string, limit: number): Promise<number> {
    return leaveNamespace(tx, 'team', namespace, limit);
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<Team> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'team.namespaces', id: 'team.id' });
    return this.dataSource.getRepository(Team).createQueryBuilder('team').where(sql, parameters);
  }
}
