import { Injectable } from '@nestjs/common';
import { type NamespaceScope, scopePredicate } from '@twinyard/auth';
import { conflict, isUuid, type Paging, type Slice } from '@twinyard/conventions';
import { brokenConstraint, sliceOf, type TypeOrmTx } from '@twinyard/service-kit';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { toLikePattern } from '../namespaces/record-filter';
import { SecretEntity } from './secret.entity';
import { StaleSecret } from './stale-secret';

export interface SecretFilter {
  readonly ids?: readonly string[];
  readonly names?: readonly string[];
  readonly userTypes?: readonly string[];
  /** Wildcard search on name and description. */
  readonly text?: string;
}

@Injectable()
export class SecretsRepository {
  constructor(private readonly dataSource: DataSource) {}

  list(scope: NamespaceScope, { ids, names, userTypes, text }: SecretFilter, paging: Paging): Promise<Slice<SecretEntity>> {
    const query = this.within(scope);
    if (ids !== undefined) query.andWhere('secret.id::text = ANY(:ids)', { ids });
    if (names !== undefined) query.andWhere('secret.name = ANY(:names)', { names });
    if (userTypes !== undefined) query.andWhere('secret.user_type = ANY(:userTypes)', { userTypes });
    if (text !== undefined) query.andWhere('(secret.name ILIKE :searched OR secret.description ILIKE :searched)', { searched: toLikePattern(text) });
    return sliceOf(query, paging, ['position']);
  }

  async find(scope: NamespaceScope, id: string): Promise<SecretEntity | undefined> {
    if (!isUuid(id)) return undefined;
    return (await this.within(scope).andWhere('secret.id = :id', { id }).getOne()) ?? undefined;
  }

  /**
   * Not under a scope: what a client may download does not come from grants. The namespaces that count are answered with it: those
   * that are not hidden, and with `orgId` only those of this organization.
   */
  async findNamed(name: string, namespaces: readonly string[], orgId: string | undefined): Promise<readonly { readonly secret: SecretEntity; readonly within: readonly string[] }[]> {
    const rows = await this.dataSource.query<{ id: string; within: string[] }[]>(
      `SELECT s.secret_id AS id, array_agg(s.namespace ORDER BY s.namespace) AS within FROM secret_name s JOIN namespace n ON n.name = s.namespace
       WHERE s.namespace = ANY($1) AND s.name = $2 AND NOT n.hidden AND ($3::text IS NULL OR n.org_id::text = $3) GROUP BY s.secret_id`,
      [namespaces, name, orgId ?? null],
    );
    const secrets = await this.dataSource.getRepository(SecretEntity).createQueryBuilder('secret').where('secret.id = ANY(:ids)', { ids: rows.map(({ id }) => id) }).getMany();
    return secrets.map((secret) => ({ secret, within: rows.find(({ id }) => id === secret.id)?.within ?? [] }));
  }

  /** @throws ServiceError `conflict` when a namespace knows another secret by this name. @throws StaleSecret when its data key is gone. */
  async insert(tx: TypeOrmTx, secret: SecretEntity): Promise<void> {
    await orStale(secret, () => tx.manager.insert(SecretEntity, secret));
    await this.takeName(tx, secret);
  }

  /** Over the revision before, and with a new ciphertext or none. @throws as `insert` does. */
  async update(tx: TypeOrmTx, { id, sealed, dataKeyId, ...fields }: SecretEntity, isSealedAnew: boolean): Promise<void> {
    const changes = isSealedAnew ? { ...fields, sealed, dataKeyId } : fields;
    const { affected } = await orStale(fields, () => tx.manager.update(SecretEntity, { id, revision: fields.revision - 1 }, changes));
    if (affected !== 1) throw new StaleSecret(fields.namespaces);
    await tx.query('DELETE FROM secret_name WHERE secret_id = $1', [id]);
    await this.takeName(tx, { id, ...fields });
  }

  async remove(tx: TypeOrmTx, id: string): Promise<boolean> {
    return ((await tx.manager.delete(SecretEntity, { id })).affected ?? 0) > 0;
  }

  private async takeName(tx: TypeOrmTx, { id, name, namespaces }: Pick<SecretEntity, 'id' | 'name' | 'namespaces'>): Promise<void> {
    const taken = await tx.query(
      `INSERT INTO secret_name (namespace, name, secret_id) SELECT namespace, $2, $3 FROM unnest($1::text[]) AS namespace ORDER BY namespace
       ON CONFLICT DO NOTHING RETURNING namespace`, [namespaces, name, id],
    );
    if (taken.length < namespaces.length) throw conflict(`There is another secret ${JSON.stringify(name)} in the namespace`, [{ field: '_name', issue: 'is taken' }]);
  }

  private within(scope: NamespaceScope): SelectQueryBuilder<SecretEntity> {
    const { sql, parameters } = scopePredicate(scope, { namespaces: 'secret.namespaces', id: 'secret.id' });
    return this.dataSource.getRepository(SecretEntity).createQueryBuilder('secret').where(sql, parameters);
  }
}

async function orStale<R>({ namespaces }: Pick<SecretEntity, 'namespaces'>, write: () => Promise<R>): Promise<R> {
  try {
    return await write();
  } catch (error) {
    throw brokenConstraint(error) === 'secret_data_key' ? new StaleSecret(namespaces, { cause: error }) : error;
  }
}
