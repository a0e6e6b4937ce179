/** After a write that a full disk refused, a service says for so long that it is not ready: others may have room. */
const FULL_FOR_MS = 30_000;

/** Whether there was room for what was lately written. */
export class StoreRoom {
  /** Stores translate their errors wherever they arise, so that all of a process tell one. */
  static readonly ofProcess = new StoreRoom();

  private fullUntil = Number.NEGATIVE_INFINITY;

  refused(): void {
    this.fullUntil = performance.now() + FULL_FOR_MS;
  }

  get isFull(): boolean {
    return performance.now() < this.fullUntil;
  }
}
