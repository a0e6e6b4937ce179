import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface SealedSecret {
  readonly id: string;
  readonly namespaces: readonly string[];
  readonly sealed: string;
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
      `SELECT s.id, s.namespaces, s.sealed FROM secret s JOIN data_key k ON k.id = s.data_key_id
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
}
