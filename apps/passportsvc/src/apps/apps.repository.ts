import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import type { Paging, Slice } from '@twinyard/conventions';
import { sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { applyFilter, CREATION_ORDER, reachPredicate } from '../namespaces/record-query.repository';
import type { RecordFilter } from '../namespaces/record-filter';
import { defaultTemplates } from '../notificationtemplates/default-templates';
import { NotificationTemplateEntity } from '../notificationtemplates/notification-template.entity';
import { AppEntity } from './app.entity';

export interface AppFilter extends RecordFilter {
  readonly orgId?: string;
}

/** Its own namespace, and that of its organization. */
const NAMESPACES = ['app.namespace', '(SELECT o.namespace FROM organization o WHERE o.id = app.org_id)'];

@Injectable()
export class AppsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The application as an OAuth client: who asks is not signed in yet, so no scope narrows it. */
  async findClient(id: string): Promise<AppEntity | undefined> {
    return (await this.dataSource.getRepository(AppEntity).findOneBy({ id })) ?? undefined;
  }

  /** Makes the console on the first start; later ones bring its redirect URIs up to date. True when it was made. */
  async upsertConsole(tx: TypeOrmTx, app: AppEntity): Promise<boolean> {
    const made = await tx.manager.createQueryBuilder().insert().into(AppEntity).values(app).orIgnore().returning('id').execute();
    if ((made.raw as unknown[]).length > 0) return true;
    await tx.manager.update(AppEntity, { id: app.id }, { redirectUris: app.redirectUris });
    return false;
  }

  async list(scope: NamespaceScope, filter: AppFilter, paging: Paging): Promise<Slice<AppEntity>> {
    const query = this.visible(scope);
    applyFilter(query, 'app', filter);
    if (filter.orgId !== undefined) query.andWhere('app.org_id::text = :orgId', { orgId: filter.orgId });
    return sliceOf(query, paging, CREATION_ORDER);
  }

  async find(scope: NamespaceScope, id: string): Promise<AppEntity | undefined> {
    return (await this.visible(scope).andWhere('app.id = :id', { id }).getOne()) ?? undefined;
  }

  /** With the templates that an application is made with (contract 1.5). */
  async insert(tx: TypeOrmTx, app: AppEntity): Promise<void> {
    await tx.manager.insert(AppEntity, app);
    await tx.manager.insert(NotificationTemplateEntity, defaultTemplates(app.id, app.createdById));
  }

  async update(tx: TypeOrmTx, id: string, changes: Partial<AppEntity>): Promise<boolean> {
    const { affected } = await tx.manager.update(AppEntity, { id }, changes);
    return affected === 1;
  }

  /** Whoever makes something in it holds the row, and is waited for. */
  async lockForRemoval(tx: TypeOrmTx, id: string): Promise<boolean> {
    return (await tx.query('SELECT id FROM app WHERE id = $1 FOR UPDATE', [id])).length > 0;
  }

  async hasWorkspaces(tx: TypeOrmTx, id: string): Promise<boolean> {
    const [row] = await tx.query<{ used: boolean }>('SELECT EXISTS (SELECT FROM workspace WHERE app_id = $1 AND NOT hidden) AS used', [id]);
    return row?.used === true;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.manager.delete(AppEntity, { id });
  }

  async takePending(tx: TypeOrmTx, email: string, ownerId: string): Promise<AppEntity[]> {
    const rows = await tx.query<{ id: string }>(
      'UPDATE app SET owner_id = $2, pending_owner_email = NULL, updated_at = now() WHERE pending_owner_email = $1 RETURNING id', [email, ownerId],
    );
    return Promise.all(rows.map(({ id }) => tx.manager.findOneByOrFail(AppEntity, { id })));
  }

  private visible(scope: NamespaceScope): SelectQueryBuilder<AppEntity> {
    const { sql, parameters } = reachPredicate(scope, 'app', NAMESPACES);
    return this.dataSource.getRepository(AppEntity).createQueryBuilder('app').where(sql, parameters);
  }
}
