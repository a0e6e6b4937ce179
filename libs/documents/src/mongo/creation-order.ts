/** Places within a millisecond. A batch of more runs ahead of the clock by so much, and the next one starts behind it. */
const PER_MILLISECOND = 2_048;

/**
 * Ascending numbers for the order of creation, from the clock, so that no counter is written by all. They fit the whole numbers of
 * a double until the year 2109. Within a process they never repeat or go back; of two processes' batches the clocks decide, and
 * where even those agree, the ids.
 */
export class CreationOrder {
  private next = 0;

  constructor(private readonly now: () => number = Date.now) {}

  /** The first of `count` numbers in a row. */
  take(count: number): number {
    const first = Math.max(this.next, this.now() * PER_MILLISECOND);
    this.next = first + count;
    return first;
  }
}
