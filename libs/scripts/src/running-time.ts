/** A longer time between two looks was one in which the process stood still: no script is to blame for that. */
const LONGEST_STEP_MS = 250;

/** How long something has run, as against how late it is: a machine that stands still for seconds is not counted, nor a clock that is set. */
export class RunningTime {
  private passedMs = 0;
  private last: number;

  constructor(private readonly limitMs: number, private readonly now: () => number = () => performance.now()) {
    this.last = now();
  }

  /** After a time in which it did not run. */
  goOn(): void {
    this.last = this.now();
  }

  /** To be asked again and again: what lies between two looks counts as far as it is short. */
  isOver(): boolean {
    const now = this.now();
    this.passedMs += Math.min(now - this.last, LONGEST_STEP_MS);
    this.last = now;
    return this.passedMs > this.limitMs;
  }
}
