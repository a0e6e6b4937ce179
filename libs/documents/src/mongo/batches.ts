/** Operations that go to the server at once: some MB. */
const BATCH = 10_000;

/** Ids in one filter where each document found is compared with all of them, as the stand-in for MongoDB does: 5,000 take it half a minute. */
const ID_BATCH = 200;

export const batchesOf = <T>(list: readonly T[]) => cut(list, BATCH);

export const idBatchesOf = <T>(list: readonly T[]) => cut(list, ID_BATCH);

function cut<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
}
