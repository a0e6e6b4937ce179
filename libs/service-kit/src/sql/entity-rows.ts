import type { ObjectLiteral, ValueTransformer } from 'typeorm';
import type { TypeOrmTx } from './type-orm-unit-of-work';

/**
 * The entities of one table that a condition picks, by a prepared statement: for what is read all the time, where TypeORM's way of building a query and
 * reading its rows costs a multiple of the query. `condition` follows the table's name, as `WHERE id = $1 FOR UPDATE`; its text is always the same.
 */
export async function entityRows<E extends ObjectLiteral>(tx: TypeOrmTx, entity: new () => E, condition: string, parameters: readonly unknown[]): Promise<E[]> {
  const { columns, tableName } = tx.manager.connection.getMetadata(entity);
  const list = columns.map(({ databaseName, propertyName }) => `"${databaseName}" AS "${propertyName}"`).join(', ');
  const rows = await tx.prepared<Record<string, unknown>>(`SELECT ${list} FROM "${tableName}" ${condition}`, parameters);
  const transformed = columns.filter(({ transformer }) => transformer !== undefined);
  return rows.map((row) => {
    for (const { propertyName, transformer } of transformed) row[propertyName] = (transformer as ValueTransformer).from(row[propertyName]);
    return Object.assign(new entity(), row);
  });
}
