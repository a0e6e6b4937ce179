export interface TurnBounds {
  /** So much goes on at once, */
  readonly all: number;
  /** and so much of one key. */
  readonly perKey: number;
}

interface Waiting {
  readonly key: string;
  readonly begin: () => void;
}

/** Lets work begin in the order in which it comes, as far as there is a place for it; a key that has its places full is passed over. */
export class Turns {
  private readonly active: string[] = [];
  private readonly waiting: Waiting[] = [];

  constructor(private readonly bounds: TurnBounds) {}

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.waiting.push({ key, begin });
      this.beginNext();
    });
    try {
      return await work();
    } finally {
      this.active.splice(this.active.indexOf(key), 1);
      this.beginNext();
    }
  }

  private beginNext(): void {
    const { all, perKey } = this.bounds;
    if (this.active.length >= all) return;
    const at = this.waiting.findIndex(({ key }) => this.active.filter((active) => active === key).length < perKey);
    const [next] = at < 0 ? [] : this.waiting.splice(at, 1);
    if (next === undefined) return;
    this.active.push(next.key);
    next.begin();
  }
}
