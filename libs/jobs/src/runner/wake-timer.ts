/** Rings once, at the earliest of the times that it was set to. */
export class WakeTimer {
  private timer: NodeJS.Timeout | undefined;
  private due = Number.POSITIVE_INFINITY;

  constructor(private readonly ring: () => void) {}

  set(ms: number): void {
    const due = performance.now() + ms;
    if (due >= this.due) return;
    this.clear();
    this.due = due;
    // One that is far off is asked about again by then.
    this.timer = setTimeout(() => this.rings(), Math.min(ms, 2 ** 31 - 1)).unref();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.due = Number.POSITIVE_INFINITY;
  }

  private rings(): void {
    this.clear();
    this.ring();
  }
}
