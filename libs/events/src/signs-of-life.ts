/** Repeats a sign that this process is alive, one at a time; one that is not taken is tried again at the next turn. */
export class SignsOfLife {
  private readonly timer: NodeJS.Timeout;
  private inHand: Promise<void> | undefined;

  constructor(everyMs: number, private readonly sign: () => Promise<void>) {
    this.timer = setInterval(() => this.give(), everyMs);
  }

  /** When it resolves, none is under way. Two statements that lock the same rows in another order can wait for each other. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.inHand;
  }

  private give(): void {
    this.inHand ??= this.sign()
      .catch(() => undefined)
      .finally(() => (this.inHand = undefined));
  }
}
