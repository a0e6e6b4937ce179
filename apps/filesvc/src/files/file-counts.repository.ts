import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

/** Files of one type and status that lie in one namespace alone. */
export interface FileCountRow {
  readonly namespace: string;
  readonly type: string;
  readonly status: string;
  /** As counted with each change. */
  readonly counted: number;
  /** As the files are now. */
  readonly there: number;
}

const THERE = 'SELECT namespaces[1] AS namespace, type, status, count(*) AS files FROM file WHERE cardinality(namespaces) = 1 GROUP BY 1, 2, 3';
const COUNTED = 'SELECT namespace, type, status, sum(files) AS files FROM file_count GROUP BY 1, 2, 3';
/** Rows of a namespace that a sum of them is still cheap with. */
const FOLDED_FROM = 100;

/** How many files namespaces hold. The database counts them with every change of a file: see the migration FileCounts. */
@Injectable()
export class FileCountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Makes few rows of the many of each namespace, where they have become so many; how many namespaces. Waits for nobody. */
  async fold(): Promise<number> {
    const crowded = await this.dataSource.query<{ namespace: string }[]>('SELECT namespace FROM file_count GROUP BY namespace HAVING count(*) >= $1', [FOLDED_FROM]);
    for (const { namespace } of crowded) await this.foldOne(this.dataSource, namespace);
    return crowded.length;
  }

  /** Of a namespace that holds nothing, nothing is left. */
  async foldOne(query: Pick<TypeOrmTx, 'query'> | DataSource, namespace: string): Promise<void> {
    await query.query(
      `WITH folded AS (DELETE FROM file_count WHERE namespace = $1 RETURNING type, status, files)
       INSERT INTO file_count (namespace, type, status, files) SELECT $1, type, status, sum(files) FROM folded GROUP BY type, status HAVING sum(files) <> 0`,
      [namespace],
    );
  }

  /** Where what was counted is not what is there: both in one moment. */
  async differences(): Promise<FileCountRow[]> {
    return this.dataSource.query<FileCountRow[]>(
      `SELECT namespace, type, status, coalesce(counted.files, 0)::float8 AS counted, coalesce(there.files, 0)::float8 AS there
       FROM (${THERE}) AS there FULL JOIN (${COUNTED}) AS counted USING (namespace, type, status)
       WHERE coalesce(there.files, 0) <> coalesce(counted.files, 0) ORDER BY 1, 2, 3`,
    );
  }

  /** Counts all anew, while the service runs: changes that are under way are waited for, and later ones wait. */
  async recount(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('LOCK TABLE file_count IN SHARE ROW EXCLUSIVE MODE');
      await manager.query('DELETE FROM file_count');
      await manager.query(`INSERT INTO file_count (namespace, type, status, files) ${THERE}`);
    });
  }
}
