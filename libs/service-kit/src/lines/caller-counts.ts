/** How many of something each caller has open at the same time. */
export class CallerCounts {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** False where the caller has as many as it may. */
  enter(caller: string): boolean {
    const count = this.counts.get(caller) ?? 0;
    if (count >= this.most) return false;
    this.counts.set(caller, count + 1);
    return true;
  }

  leave(caller: string): void {
    const count = this.counts.get(caller) ?? 0;
    if (count > 1) this.counts.set(caller, count - 1);
    else this.counts.delete(caller);
  }
}
