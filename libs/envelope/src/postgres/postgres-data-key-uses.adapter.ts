import type { SqlTx } from '@twinyard/service-kit';
import type { DataSource } from 'typeorm';
import { DataKeyGone, type DataKeyUse, DataKeyUses } from '../data-key-uses';

/** The reference of the table holds the keys. */
export class PostgresDataKeyUses extends DataKeyUses<SqlTx> {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  /** Looks for the key first: a broken reference would end the caller's transaction. */
  override async hold(tx: SqlTx, { keyId, holder }: DataKeyUse): Promise<void> {
    const rows = await tx.query(
      `WITH key AS (SELECT id FROM data_key WHERE id = $1 FOR KEY SHARE),
            held AS (INSERT INTO data_key_use (key_id, holder) SELECT id, $2 FROM key ON CONFLICT DO NOTHING)
       SELECT id FROM key`, [keyId, holder],
    );
    if (rows.length === 0) throw new DataKeyGone(keyId);
  }

  override async release(tx: SqlTx, keyIds: readonly string[], holder: string): Promise<void> {
    await tx.query('DELETE FROM data_key_use WHERE key_id = ANY($1) AND holder = $2', [keyIds, holder]);
  }

  override list(keyIds: readonly string[], after: string | undefined, limit: number): Promise<DataKeyUse[]> {
    return this.dataSource.query(
      'SELECT key_id AS "keyId", holder FROM data_key_use WHERE key_id = ANY($1) AND holder > $2 ORDER BY holder, key_id LIMIT $3', [keyIds, after ?? '', limit],
    );
  }
}
