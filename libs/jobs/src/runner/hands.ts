/**
 * How many jobs, of all kinds, one process has in hand. A kind that has none may always have one, beyond the limit if need be: jobs that take
 * hours keep no other kind from its turn.
 */
export class Hands {
  private taken = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly most = Number.POSITIVE_INFINITY) {}

  /** As many of those that are wanted as there are, for a kind with so many in hand. */
  take(wanted: number, inHand: number): number {
    const some = Math.min(wanted, Math.max(this.most - this.taken, inHand === 0 ? 1 : 0));
    this.taken += some;
    return some;
  }

  /** Who waited longest is asked first. */
  give(count: number): void {
    if (count === 0) return;
    this.taken -= count;
    const asked = [...this.waiting];
    this.waiting.clear();
    for (const ask of asked) ask();
  }

  /** Calls once, when some have been given back. */
  whenGiven(ask: () => void): void {
    this.waiting.add(ask);
  }
}
