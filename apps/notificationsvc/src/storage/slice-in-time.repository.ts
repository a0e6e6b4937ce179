import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, packedBytes, readWithin, type WeighedKey } from '@twinyard/service-kit';
import type { DataSource } from 'typeorm';

export interface RowsOfTable<S, T> {
  readonly table: string;
  /** An SQL condition, and the values of its parameters from `$1` on. */
  readonly where: string;
  readonly parameters: readonly unknown[];
  /** The column in which there may be much. */
  readonly heavy: string;
  readonly map: (row: S) => T;
}

type Key = { readonly id: string } & WeighedKey;

/** A page of rows in the order in which they were created, as far as an answer goes; until it is known how far, by their keys alone. */
export async function sliceInTime<S, T>(dataSource: DataSource, { table, where, parameters, heavy, map }: RowsOfTable<S, T>, { offset, pageSize }: Paging): Promise<Slice<T>> {
  const [count] = await dataSource.query<{ total: string }[]>(`SELECT count(*) AS total FROM ${table} WHERE ${where}`, [...parameters]);
  const next = parameters.length + 1;
  const keys = await dataSource.query<Key[]>(
    `SELECT id, ${packedBytes([heavy])} AS packed FROM ${table} WHERE ${where} ORDER BY created_at, id OFFSET $${next} LIMIT $${next + 1}`, [...parameters, offset, pageSize],
  );
  const read = async (some: readonly Key[]) => {
    const rows = await dataSource.query<S[]>(`SELECT * FROM ${table} WHERE id = ANY($1::uuid[]) ORDER BY created_at, id`, [some.map(({ id }) => id)]);
    return rows.map(map);
  };
  return { ...(await readWithin(keys, answerBytesOf(dataSource), read)), total: Number(count?.total) };
}
