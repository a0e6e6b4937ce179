/** A list of documents: its JSON, commas between, and what each of them weighs. */
export interface SizedList {
  readonly list: Buffer;
  readonly sizes: readonly number[];
}

/** A stretch of one, and what the documents in it weigh together. */
export interface ListPart extends SizedList {
  readonly bytes: number;
}

const COMMA_BYTES = 1;

/** A list taken apart: the first `counts[0]` documents, the next `counts[1]`, and so on. `sizes`: of each document, in bytes. */
export function partsOfList(list: Buffer, sizes: readonly number[], counts: readonly number[]): ListPart[] {
  let [start, next] = [0, 0];
  return counts.map((count) => {
    const own = sizes.slice(next, next + count);
    const bytes = own.reduce((sum, size) => sum + size, 0);
    const length = bytes + Math.max(0, count - 1) * COMMA_BYTES;
    const part = { list: list.subarray(start, start + length), sizes: own, bytes };
    next += count;
    if (count > 0) start += length + COMMA_BYTES;
    return part;
  });
}

/** The first documents of lists that stand one behind the other, as many as weigh `mostBytes` together; one always. */
export function firstOfLists(lists: readonly SizedList[], mostBytes: number): { readonly lists: readonly Buffer[]; readonly count: number } {
  const first: Buffer[] = [];
  let [bytes, count] = [0, 0];
  for (const { list, sizes } of lists) {
    const over = sizes.findIndex((size, place) => (bytes += size) > mostBytes && count + place > 0);
    const fitting = over === -1 ? sizes.length : over;
    for (const part of fitting === 0 ? [] : partsOfList(list, sizes, [fitting])) first.push(part.list);
    count += fitting;
    if (over !== -1) break;
  }
  return { lists: first, count };
}
