import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export interface UsageRow {
  readonly namespace: string;
  /** As counted with each change. */
  readonly counted: number;
  /** As the versions and uploads are now. */
  readonly held: number;
}

const SIZES = '(SELECT file_id, size FROM file_version UNION ALL SELECT file_id, size FROM resumable_upload) AS held';
const HELD = `SELECT namespace, sum(size) AS bytes FROM ${SIZES}
  JOIN file ON file.id = held.file_id, unnest(file.namespaces) AS namespace GROUP BY namespace`;
const COUNTED = 'SELECT namespace, sum(bytes) AS bytes FROM namespace_usage GROUP BY namespace';
/** Rows of a namespace that a sum of them is still cheap with. */
const FOLDED_FROM = 100;

type Queries = Pick<TypeOrmTx, 'query'> | DataSource;

/** Bytes that namespaces hold. The database counts them with every change of a version or upload: see the migration FileSafety. */
@Injectable()
export class NamespaceUsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  async used(namespaces: readonly string[], query: Queries = this.dataSource): Promise<ReadonlyMap<string, number>> {
    const sql = 'SELECT namespace, sum(bytes)::float8 AS bytes FROM namespace_usage WHERE namespace = ANY($1::text[]) GROUP BY namespace';
    const rows = (await query.query(sql, [namespaces])) as { namespace: string; bytes: number }[];
    return new Map(rows.map(({ namespace, bytes }) => [namespace, bytes]));
  }

  /** Of a file, or of all that is in a folder. */
  async heldBelow(tx: TypeOrmTx, fileId: string): Promise<number> {
    const sql = `SELECT coalesce(sum(size), 0)::float8 AS bytes FROM ${SIZES} WHERE file_id IN (SELECT descendant_id FROM file_tree WHERE ancestor_id = $1)`;
    return (await tx.query<{ bytes: number }>(sql, [fileId]))[0]?.bytes ?? 0;
  }

  /** Nobody else adds to these namespaces until the transaction ends; what others have added before is seen by the next statement. */
  async lock(tx: TypeOrmTx, namespaces: readonly string[]): Promise<void> {
    for (const namespace of [...namespaces].sort()) await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota of ${namespace}`]);
  }

  /** Makes one row of the many of each namespace, where they have become so many; how many namespaces. Waits for nobody. */
  async fold(): Promise<number> {
    const crowded = await this.dataSource.query<{ namespace: string }[]>('SELECT namespace FROM namespace_usage GROUP BY namespace HAVING count(*) >= $1', [FOLDED_FROM]);
    for (const { namespace } of crowded) await this.foldOne(this.dataSource, namespace);
    return crowded.length;
  }

  /** Of a namespace that holds nothing, nothing is left. */
  async foldOne(query: Queries, namespace: string): Promise<void> {
    await query.query(
      `WITH folded AS (DELETE FROM namespace_usage WHERE namespace = $1 RETURNING bytes)
       INSERT INTO namespace_usage (namespace, bytes) SELECT $1, sum(bytes) FROM folded HAVING sum(bytes) <> 0`,
      [namespace],
    );
  }

  /** Of each namespace that holds something, or is said to: both in one moment. */
  async compare(): Promise<UsageRow[]> {
    return this.dataSource.query<UsageRow[]>(
      `SELECT coalesce(held.namespace, counted.namespace) AS namespace, coalesce(counted.bytes, 0)::float8 AS counted, coalesce(held.bytes, 0)::float8 AS held
       FROM (${HELD}) AS held FULL JOIN (${COUNTED}) AS counted ON counted.namespace = held.namespace
       WHERE coalesce(held.bytes, 0) <> 0 OR coalesce(counted.bytes, 0) <> 0 ORDER BY 1`,
    );
  }

  /** Counts all anew, while the service runs: changes that are under way are waited for, and later ones wait. */
  async recount(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('LOCK TABLE namespace_usage IN SHARE ROW EXCLUSIVE MODE');
      await manager.query('DELETE FROM namespace_usage');
      await manager.query(`INSERT INTO namespace_usage (namespace, bytes) ${HELD} HAVING sum(size) <> 0`);
    });
  }
}
