import type { Paging, Slice } from '@twinyard/conventions';
import type { DataSource, EntityMetadata, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { answerBytesOf } from './data-source';
import { packedBytes, readWithin, SHARE, SHARE_PACKED_BYTES, type WeighedKey } from './read-within';

type Row = Readonly<Record<string, unknown>>;
type Key = Row & WeighedKey;

/** No property has such names. */
const [TOTAL, PLACE, PACKED, SO_FAR, KEY] = ['#total', '#place', '#packed', '#so far', '#key '];

/**
 * One page and the total, both under the conditions of the query, which joins nothing; `order` names properties, the last of which tells
 * all rows apart. One statement gives the keys of the page and its first rows, as many as may be in memory together, so that what the conditions cost is
 * paid once; others follow by their keys until all weigh more than an answer may. Rows become entities here: TypeORM, which is ready for joins, would
 * compare each with all others.
 */
export async function sliceOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, paging: Paging, order: readonly string[], direction: Direction = 'ASC'): Promise<Slice<E>> {
  const { connection, expressionMap } = query;
  const metadata = expressionMap.mainAlias?.metadata;
  if (metadata === undefined) throw new Error('a page of nothing');
  const toEntity = hydration<E>(connection, metadata);
  const { begun, keys, total } = await pageOf(query, metadata, paging, { names: order, direction });
  const read = async (some: readonly Key[]) => (await rowsOf(connection, metadata, some)).map(toEntity);
  return { ...(await readWithin(keys, answerBytesOf(connection), read, begun.map(toEntity))), total };
}

type Direction = 'ASC' | 'DESC';

interface Order {
  readonly names: readonly string[];
  /** Of all of them. */
  readonly direction: Direction;
}

interface Page {
  readonly begun: readonly Row[];
  /** Of the rows behind these. */
  readonly keys: readonly Key[];
  readonly total: number;
}

async function pageOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, metadata: EntityMetadata, { offset, pageSize }: Paging, order: Order): Promise<Page> {
  const ids = metadata.primaryColumns;
  const selected = selectedOf(metadata);
  const [found, parameters] = keysOf(query, [...new Set([...ids.map(({ propertyName }) => propertyName), ...order.names])]);
  const next = parameters.length + 1;
  const isOf = (row: string) => ids.map(({ databaseName, propertyName }) => `entity."${databaseName}" = ${row}."${propertyName}"`).join(' AND ');
  const rows = await query.connection.query<Row[]>(
    `WITH found AS MATERIALIZED (${found}),
          page AS (SELECT * FROM found ORDER BY ${columns(order, '')} LIMIT $${next} OFFSET $${next + 1}),
          weighed AS (SELECT page.*, ${packedBytes(selected.map(({ databaseName }) => `entity."${databaseName}"`))} AS "${PACKED}" FROM page JOIN "${metadata.tableName}" entity ON ${isOf('page')}),
          placed AS (SELECT *, row_number() OVER in_order AS "${PLACE}", sum("${PACKED}") OVER in_order AS "${SO_FAR}"
                     FROM weighed WINDOW in_order AS (ORDER BY ${columns(order, '')} ROWS UNBOUNDED PRECEDING))
     SELECT counted.total AS "${TOTAL}", placed."${PACKED}", ${ids.map(({ propertyName }) => `placed."${propertyName}" AS "${KEY}${propertyName}"`).join(', ')}, ${asProperties(selected)}
     FROM (SELECT count(*) AS total FROM found) counted
     LEFT JOIN placed ON true
     LEFT JOIN "${metadata.tableName}" entity ON ${isOf('placed')} AND placed."${PLACE}" <= ${SHARE} AND (placed."${PLACE}" = 1 OR placed."${SO_FAR}" <= ${SHARE_PACKED_BYTES})
     ORDER BY ${columns(order, 'placed.')}`,
    [...parameters, pageSize, offset],
  );
  const isThere = (row: Row, of: string) => ids.every(({ propertyName }) => row[of + propertyName] !== null);
  // With nothing on the page there is one row, of the total alone.
  const keys = rows.filter((row) => isThere(row, KEY) && !isThere(row, ''));
  return { begun: rows.filter((row) => isThere(row, '')), keys: keys.map((row) => keyOf(ids, row)), total: Number(rows[0]?.[TOTAL]) };
}

const keyOf = (ids: readonly ColumnMetadata[], row: Row): Key => (
  { ...Object.fromEntries(ids.map(({ propertyName }) => [propertyName, row[KEY + propertyName]])), packed: Number(row[PACKED]) }
);

/** In the order of the keys; what has been deleted since they were read is left out. */
function rowsOf(connection: DataSource, metadata: EntityMetadata, keys: readonly Row[]): Promise<Row[]> {
  const ids = metadata.primaryColumns;
  return connection.query<Row[]>(
    `SELECT ${asProperties(selectedOf(metadata))}
     FROM unnest(${ids.map((id, index) => `$${index + 1}::${connection.driver.normalizeType(id)}[]`).join(', ')})
          WITH ORDINALITY AS page (${ids.map(({ databaseName }) => `"${databaseName}"`).join(', ')}, "${PLACE}")
     JOIN "${metadata.tableName}" entity USING (${ids.map(({ databaseName }) => `"${databaseName}"`).join(', ')})
     ORDER BY page."${PLACE}"`,
    ids.map(({ propertyName }) => keys.map((key) => key[propertyName])),
  );
}

const asProperties = (selected: readonly ColumnMetadata[]) => selected.map(({ databaseName, propertyName }) => `entity."${databaseName}" AS "${propertyName}"`).join(', ');

const selectedOf = (metadata: EntityMetadata) => metadata.columns.filter(({ isSelect }) => isSelect);

const columns = ({ names, direction }: Order, of: string) => names.map((name) => `${of}"${name}" ${direction}`).join(', ');

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
