import type { MongoTx } from '@twinyard/service-kit';

/** Operations that go to the server, or ids in one filter, at once: some MB. */
const BATCH = 10_000;

/** The stand-in for MongoDB compares each document found with all ids of the filter: 5,000 take it half a minute. It has no sessions. */
const STAND_IN_IDS = 200;

export const batchesOf = <T>(list: readonly T[]) => cut(list, BATCH);

export const idBatchesOf = <T>(list: readonly T[], { session }: MongoTx['options']) => cut(list, session ? BATCH : STAND_IN_IDS);

function cut<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
}
