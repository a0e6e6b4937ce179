import type { KeyCipher } from '@twinyard/envelope';
import type { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { DataSource } from 'typeorm';
import { providerSecretContext } from '../identityproviders/provider-secrets';

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly contextOf: (id: string) => string;
}

/** What lies under the key-encryption key itself, beside keys. */
const COLUMNS: readonly SealedColumn[] = [{ table: 'identity_provider', column: 'sealed_secret', contextOf: providerSecretContext }];

const BATCH = 500;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Secrets of the platform's own records, for a change of the key-encryption key. */
export class SealedColumnsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly cipher: KeyCipher,
  ) {}

  /** Seals under the current key what lies under another; how many. A row that is changed meanwhile was sealed anew by that. */
  async reseal(): Promise<number> {
    let count = 0;
    for (const column of COLUMNS) {
      let after: string | undefined = NIL_UUID;
      while (after !== undefined) {
        const batch: { count: number; last: string | undefined } = await this.resealBatch(column, after);
        [count, after] = [count + batch.count, batch.last];
      }
    }
    return count;
  }

  private async resealBatch({ table, column, contextOf }: SealedColumn, after: string) {
    const rows = await this.dataSource.query<{ id: string; sealed: string }[]>(
      `SELECT id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL AND id > $1 ORDER BY id LIMIT ${BATCH}`, [after],
    );
    const stale = rows.flatMap(({ id, sealed }) => {
      const anew = this.cipher.resealed(sealed, contextOf(id));
      return anew === undefined ? [] : [{ id, before: sealed, anew }];
    });
    const written = stale.length === 0 ? [] : await this.unitOfWork.run((tx) => tx.query(
      `UPDATE ${table} SET ${column} = s.anew FROM jsonb_to_recordset($1::jsonb) AS s (id uuid, before text, anew text)
       WHERE ${table}.id = s.id AND ${table}.${column} = s.before RETURNING s.id`, [JSON.stringify(stale)],
    ));
    return { count: written.length, last: rows.at(-1)?.id };
  }
}
