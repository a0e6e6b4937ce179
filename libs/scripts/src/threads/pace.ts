/** How fast something may come: so many at once, and then so many in a second. */
export class Pace {
  private nextMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly terms: { readonly atOnce: number; readonly perSecond: number }, private readonly now: () => number = () => performance.now()) {}

  /** In ms, until it is the turn of one more. */
  wait(): number {
    const { atOnce, perSecond } = this.terms;
    const everyMs = 1_000 / perSecond;
    const now = this.now();
    this.nextMs = Math.max(this.nextMs, now - atOnce * everyMs) + everyMs;
    return Math.max(0, this.nextMs - now);
  }
}
