import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import type { LimitValues } from '../apps/app.entity';
import type { Parent } from './parent';

export type Limited = 'applications' | 'workspaces' | 'usergroups';
export type LimitHolder = 'organization' | 'app';

/** Hidden workspaces and default groups do not count (contract 1.4). */
const COUNTED: Record<Limited, string> = {
  applications: 'app WHERE true',
  workspaces: 'workspace WHERE NOT hidden',
  usergroups: 'usergroup WHERE NOT is_default',
};

@Injectable()
export class ParentsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Not under a scope: the caller's right to make something there is what is asked next. */
  async findOrganization(id: string): Promise<Parent | undefined> {
    const [row] = await this.dataSource.query<{ namespace: string }[]>('SELECT namespace FROM organization WHERE id = $1', [id]);
    return row && { namespace: row.namespace, appId: null, orgId: id };
  }

  async findApplication(id: string): Promise<Parent | undefined> {
    const [row] = await this.dataSource.query<{ namespace: string; org_id: string | null }[]>('SELECT namespace, org_id FROM app WHERE id = $1', [id]);
    return row && { namespace: row.namespace, appId: id, orgId: row.org_id };
  }

  /**
   * Holds the organization or application until the transaction ends, so that whoever makes something in it waits for
   * whoever came first and then counts what that one made. `undefined`: it is gone.
   */
  async lock(tx: TypeOrmTx, holder: LimitHolder, id: string): Promise<LimitValues | undefined> {
    const [row] = await tx.query<{ configuration: LimitValues | null }>(`SELECT configuration FROM ${holder} WHERE id = $1 FOR NO KEY UPDATE`, [id]);
    return row && (row.configuration ?? {});
  }

  async configure(tx: TypeOrmTx, holder: LimitHolder, id: string, limits: LimitValues | null): Promise<void> {
    await tx.query(`UPDATE ${holder} SET configuration = $2 WHERE id = $1`, [id, limits]);
  }

  async findConfiguration(holder: LimitHolder, id: string): Promise<LimitValues | undefined> {
    const [row] = await this.dataSource.query<{ configuration: LimitValues | null }[]>(`SELECT configuration FROM ${holder} WHERE id = $1`, [id]);
    return row?.configuration ?? undefined;
  }

  async count(tx: TypeOrmTx, limited: Limited, holder: LimitHolder, id: string): Promise<number> {
    const column = holder === 'organization' ? 'org_id' : 'app_id';
    const [row] = await tx.query<{ count: string }>(`SELECT count(*) FROM ${COUNTED[limited]} AND ${column} = $1`, [id]);
    return Number(row?.count);
  }
}
