interface Waiting {
  readonly bytes: number;
  readonly go: () => void;
}

/** Bytes that may be in hand at once; who wants more waits for others to give theirs back. */
export class Room {
  private readonly waiting: Waiting[] = [];
  private taken = 0;

  constructor(private readonly total: number) {}

  /** Resolves with what gives it back, in the order of asking. More than there is counts as all of it. */
  async take(wanted: number): Promise<() => void> {
    const bytes = Math.min(wanted, this.total);
    await new Promise<void>((go) => {
      this.waiting.push({ bytes, go });
      this.next();
    });
    return () => this.giveBack(bytes);
  }

  private giveBack(bytes: number): void {
    this.taken -= bytes;
    this.next();
  }

  private next(): void {
    for (let [first] = this.waiting; first !== undefined && this.taken + first.bytes <= this.total; [first] = this.waiting) {
      this.waiting.shift();
      this.taken += first.bytes;
      first.go();
    }
  }
}
