import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

const ABOVE = 'SELECT ancestor_id AS id FROM file_tree WHERE descendant_id = $1 AND depth > 0 ORDER BY depth';

/** What lies in what: every pair of a folder and something below it, and everything and itself. */
@Injectable()
export class FileTreeRepository {
  /** Folders above it, nearest first. */
  async readAncestors(tx: TypeOrmTx, id: string): Promise<string[]> {
    return toIds(await tx.query<{ id: string }>(ABOVE, [id]));
  }

  /** As `readAncestors`, by file; the order says nothing. */
  async readAncestorsOfMany(tx: TypeOrmTx, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const sql = 'SELECT descendant_id AS id, array_agg(ancestor_id) AS above FROM file_tree WHERE descendant_id = ANY($1::uuid[]) AND depth > 0 GROUP BY descendant_id';
    return new Map((await tx.query<{ id: string; above: string[] }>(sql, [ids])).map(({ id, above }) => [id, above]));
  }

  /** Levels below it; 0 when nothing is. */
  async readHeight(tx: TypeOrmTx, id: string): Promise<number> {
    const [{ height } = { height: 0 }] = await tx.query<{ height: number }>('SELECT max(depth) AS height FROM file_tree WHERE ancestor_id = $1', [id]);
    return height;
  }

  /** These and all that is below them. */
  async readSubtrees(tx: TypeOrmTx, ids: readonly string[]): Promise<string[]> {
    return toIds(await tx.query<{ id: string }>('SELECT DISTINCT descendant_id AS id FROM file_tree WHERE ancestor_id = ANY($1::uuid[]) ORDER BY 1', [ids]));
  }

  /** Of a new one. */
  async insert(tx: TypeOrmTx, id: string, parentId: string | null): Promise<void> {
    await tx.query(
      `INSERT INTO file_tree (ancestor_id, descendant_id, depth, position)
       SELECT coalesce(above.id, file.id), file.id, above.depth, file.position
       FROM file, (SELECT ancestor_id, depth + 1 FROM file_tree WHERE descendant_id = $2::uuid UNION ALL SELECT NULL, 0) AS above (id, depth)
       WHERE file.id = $1`,
      [id, parentId],
    );
  }

  /** Takes something with all that is below it to another folder, or to the root. */
  async move(tx: TypeOrmTx, id: string, parentId: string | null): Promise<void> {
    await tx.query(
      `DELETE FROM file_tree WHERE descendant_id IN (SELECT descendant_id FROM file_tree WHERE ancestor_id = $1)
         AND ancestor_id IN (SELECT ancestor_id FROM file_tree WHERE descendant_id = $1 AND depth > 0)`,
      [id],
    );
    await tx.query(
      `INSERT INTO file_tree (ancestor_id, descendant_id, depth, position)
       SELECT above.ancestor_id, below.descendant_id, above.depth + below.depth + 1, below.position
       FROM file_tree AS above, file_tree AS below
       WHERE above.descendant_id = $2::uuid AND below.ancestor_id = $1`,
      [id, parentId],
    );
  }
}

const toIds = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
