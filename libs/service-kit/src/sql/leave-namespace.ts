import type { SqlTx } from '../tx';

/**
 * Takes at most `limit` rows out of a namespace; those that lie in no other are deleted. The table, which is the program's own text, has
 * an `id` and `namespaces` with a GIN index. The number of rows.
 */
export async function leaveNamespace(tx: SqlTx, table: string, namespace: string, limit: number): Promise<number> {
  const rows = await tx.query(
    `WITH held AS (
       SELECT id, cardinality(array_remove(namespaces, $1)) = 0 AS alone FROM ${table} WHERE namespaces @> ARRAY[$1::text] LIMIT $2 FOR UPDATE
     ), gone AS (
       DELETE FROM ${table} WHERE id IN (SELECT id FROM held WHERE alone)
     ), kept AS (
       UPDATE ${table} SET namespaces = array_remove(namespaces, $1) WHERE id IN (SELECT id FROM held WHERE NOT alone)
     )
     SELECT id FROM held`,
    [namespace, limit],
  );
  return rows.length;
}
