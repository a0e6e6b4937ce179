import { sqlState, type SqlTx } from '@twinyard/service-kit';
import type { DataSource } from 'typeorm';
import type { DataKeyRecord } from '../data-key';
import { DataKeyInUse, DataKeyStore } from '../data-key-store';

const FOREIGN_KEY_VIOLATION = '23503';
const COLUMNS = 'id, namespace, version, wrapped';

/** Tables that hold ciphertexts reference `data_key (id)`: so no key is removed under them, and none is sealed under a removed one. */
export class PostgresDataKeyStore extends DataKeyStore<SqlTx> {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async find(id: string): Promise<DataKeyRecord | undefined> {
    const [row] = await this.dataSource.query<DataKeyRecord[]>(`SELECT ${COLUMNS} FROM data_key WHERE id = $1`, [id]);
    return row;
  }

  override listOf(namespace: string): Promise<DataKeyRecord[]> {
    return this.dataSource.query(`SELECT ${COLUMNS} FROM data_key WHERE namespace = $1 ORDER BY version DESC`, [namespace]);
  }

  override list(after: string | undefined, limit: number): Promise<DataKeyRecord[]> {
    return this.dataSource.query(`SELECT ${COLUMNS} FROM data_key WHERE id > $1 ORDER BY id LIMIT $2`, [after ?? '', limit]);
  }

  override async insertIfAbsent(tx: SqlTx, { id, namespace, version, wrapped }: DataKeyRecord): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO data_key (${COLUMNS}) VALUES ($1, $2, $3, $4) ON CONFLICT (namespace, version) DO NOTHING RETURNING id`, [id, namespace, version, wrapped],
    );
    return rows.length === 1;
  }

  override async replaceWrapped(tx: SqlTx, { id, wrapped: before }: DataKeyRecord, wrapped: string): Promise<boolean> {
    return (await tx.query('UPDATE data_key SET wrapped = $3 WHERE id = $1 AND wrapped = $2 RETURNING id', [id, before, wrapped])).length === 1;
  }

  override async remove(tx: SqlTx, id: string): Promise<boolean> {
    try {
      return (await tx.query('DELETE FROM data_key WHERE id = $1 RETURNING id', [id])).length === 1;
    } catch (error) {
      if (sqlState(error) === FOREIGN_KEY_VIOLATION) throw new DataKeyInUse(id, { cause: error });
      throw error;
    }
  }
}
