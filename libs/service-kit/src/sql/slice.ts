import type { Paging, Slice } from '@twinyard/conventions';
import type { DataSource, EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';

type Row = Readonly<Record<string, unknown>>;

/** No property has such a name. */
const TOTAL = '#total';

/**
 * One page and the total, both under the conditions of the query, which joins nothing; `order` names properties, the last of which tells
 * all rows apart. One statement, so that what the conditions cost is paid once. Its rows become entities here: TypeORM, which is ready for
 * joins, would compare each row with all others.
 */
export async function sliceOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, { offset, pageSize }: Paging, order: readonly string[]): Promise<Slice<E>> {
  const { connection, expressionMap } = query;
  const metadata = expressionMap.mainAlias?.metadata;
  if (metadata === undefined) throw new Error('a page of nothing');
  const ids = metadata.primaryColumns;
  const [found, parameters] = keysOf(query, [...new Set([...ids.map(({ propertyName }) => propertyName), ...order])]);
  const next = parameters.length + 1;
  const rows = await connection.query<Row[]>(
    `WITH found AS MATERIALIZED (${found}),
          page AS (SELECT * FROM found ORDER BY ${columns(order, '')} LIMIT $${next} OFFSET $${next + 1})
     SELECT counted.total AS "${TOTAL}", ${selectedOf(metadata).map(({ databaseName, propertyName }) => `entity."${databaseName}" AS "${propertyName}"`).join(', ')}
     FROM (SELECT count(*) AS total FROM found) counted
     LEFT JOIN page ON true
     LEFT JOIN "${metadata.tableName}" entity ON ${ids.map(({ databaseName, propertyName }) => `entity."${databaseName}" = page."${propertyName}"`).join(' AND ')}
     ORDER BY ${columns(order, 'page.')}`,
    [...parameters, pageSize, offset],
  );
  // With nothing on the page there is one row, of the total alone.
  const onPage = rows.filter((row) => ids.every(({ propertyName }) => row[propertyName] !== null));
  return { rows: onPage.map(hydration<E>(connection, metadata)), total: Number(rows[0]?.[TOTAL]) };
}

const selectedOf = (metadata: EntityMetadata) => metadata.columns.filter(({ isSelect }) => isSelect);

const columns = (names: readonly string[], of: string) => names.map((name) => `${of}"${name}"`).join(', ');

/** The query for these properties alone. */
function keysOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, [first = '', ...others]: readonly string[]): [sql: string, parameters: unknown[]] {
  const keys = query.clone().select(`${query.alias}.${first}`, first);
  for (const key of others) keys.addSelect(`${query.alias}.${key}`, key);
  return keys.getQueryAndParameters();
}

function hydration<E extends ObjectLiteral>({ driver }: DataSource, metadata: EntityMetadata): (row: Row) => E {
  const selected = selectedOf(metadata);
  return (row) => {
    const entity = metadata.create() as Record<string, unknown>;
    for (const column of selected) entity[column.propertyName] = driver.prepareHydratedValue(row[column.propertyName], column) as unknown;
    return entity as E;
  };
}
