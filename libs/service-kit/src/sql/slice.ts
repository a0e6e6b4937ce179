import type { Paging, Slice } from '@twinyard/conventions';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * One page and the total, both under the conditions of the query, which joins nothing; `order` names properties, the last of which tells
 * all rows apart. Two statements side by side: TypeORM's own count compares all ids with each other.
 */
export async function sliceOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, { offset, pageSize }: Paging, order: readonly string[]): Promise<Slice<E>> {
  const counted = query.clone().select('count(*)', 'total').getRawOne<{ total: string }>();
  for (const property of order) query.addOrderBy(`${query.alias}.${property}`);
  const [rows, count] = await Promise.all([pageSize === 0 ? [] : query.offset(offset).limit(pageSize).getMany(), counted]);
  return { rows, total: Number(count?.total ?? 0) };
}
