import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface SealedSecret {
  readonly id: string;
  readonly namespaces: readonly string[];
  readonly sealed: string;
  readonly revision: number;
}

export interface ResealedSecret {
  readonly id: string;
  /** What it was when it was read. */
  readonly before: string;
  readonly sealed: string;
  readonly dataKeyId: string;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Secrets as a rotation and a purge see them: whoever's they are. */
@Injectable()
export class SealedSecretsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Those under keys of the namespace other than `newestKeyId`. */
  listUnderOlderKeys(namespace: string, newestKeyId: string, after: string | undefined, limit: number): Promise<SealedSecret[]> {
    return this.dataSource.query(
      `SELECT s.id, s.namespaces, s.sealed, s.revision FROM secret s JOIN data_key k ON k.id = s.data_key_id
       WHERE k.namespace = $1 AND k.id <> $2 AND s.id > $3 ORDER BY s.id LIMIT $4`,
      [namespace, newestKeyId, after ?? NIL_UUID, limit],
    );
  }

  /** Those that are still as they were read; how many. Nobody has changed the secret by that: revision and times stay. */
  async replaceSealed(tx: TypeOrmTx, resealed: readonly ResealedSecret[]): Promise<number> {
    const rows = await tx.query(
      `UPDATE secret SET sealed = r.sealed, data_key_id = r."dataKeyId"
       FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, before text, sealed text, "dataKeyId" text)
       WHERE secret.id = r.id AND secret.sealed = r.before RETURNING secret.id`,
      [JSON.stringify(resealed)],
    );
    return rows.length;
  }

  async namespacesWithKeys(): Promise<string[]> {
    const rows = await this.dataSource.query<{ namespace: string }[]>('SELECT DISTINCT namespace FROM data_key ORDER BY namespace');
    return rows.map(({ namespace }) => namespace);
  }

  /** Those of which the namespace is the only one; how many. */
  async removeOf(tx: TypeOrmTx, namespace: string, limit: number): Promise<number> {
    const rows = await tx.query(
      `DELETE FROM secret WHERE id IN (SELECT id FROM secret WHERE namespaces @> ARRAY[$1::text] AND namespaces <@ ARRAY[$1::text] LIMIT $2) RETURNING id`, [namespace, limit],
    );
    return rows.length;
  }

  /** Those that lie in other namespaces too. */
  listShared(namespace: string, limit: number): Promise<SealedSecret[]> {
    return this.dataSource.query(
      `SELECT id, namespaces, sealed, revision FROM secret WHERE namespaces @> ARRAY[$1::text] AND NOT namespaces <@ ARRAY[$1::text] ORDER BY id LIMIT $2`, [namespace, limit],
    );
  }

  /** Takes a secret out of a namespace, with another ciphertext or as it is. False when somebody changed it meanwhile. */
  async leave(tx: TypeOrmTx, namespace: string, { id, revision }: SealedSecret, anew: { readonly sealed: string; readonly dataKeyId: string } | undefined): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE secret SET namespaces = array_remove(namespaces, $1), revision = revision + 1, sealed = coalesce($4, sealed), data_key_id = coalesce($5, data_key_id)
       WHERE id = $2 AND revision = $3 RETURNING id`, [namespace, id, revision, anew?.sealed ?? null, anew?.dataKeyId ?? null],
    );
    await tx.query('DELETE FROM secret_name WHERE namespace = $1 AND secret_id = $2 AND NOT EXISTS (SELECT FROM secret WHERE id = $2 AND namespaces @> ARRAY[$1::text])', [namespace, id]);
    return rows.length === 1;
  }

  async remove(tx: TypeOrmTx, id: string): Promise<void> {
    await tx.query('DELETE FROM secret WHERE id = $1', [id]);
  }

  /** Keys that nothing lies under: what was ever sealed under them can no longer be opened. How many. */
  async removeUnusedKeys(tx: TypeOrmTx, namespace: string): Promise<number> {
    const rows = await tx.query(`DELETE FROM data_key k WHERE namespace = $1 AND NOT EXISTS (SELECT FROM secret s WHERE s.data_key_id = k.id) RETURNING id`, [namespace]);
    return rows.length;
  }
}
