/** Operations that go to the server, or ids in one filter, at once: some MB. */
const BATCH = 10_000;

export function batchesOf<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / BATCH) }, (_, index) => list.slice(index * BATCH, (index + 1) * BATCH));
}
