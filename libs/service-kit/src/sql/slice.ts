import type { Paging, Slice } from '@twinyard/conventions';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** One page and the total, both under the conditions of the query; `order` names properties, the last of which tells all rows apart. */
export async function sliceOf<E extends ObjectLiteral>(query: SelectQueryBuilder<E>, { offset, pageSize }: Paging, order: readonly string[]): Promise<Slice<E>> {
  const total = await query.getCount();
  if (pageSize === 0 || offset >= total) return { rows: [], total };
  for (const property of order) query.addOrderBy(`${query.alias}.${property}`);
  return { rows: await query.offset(offset).limit(pageSize).getMany(), total };
}
