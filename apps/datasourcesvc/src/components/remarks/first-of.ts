const MOST_NAMED = 10;

/** What is told to whoever imports a file, of each kind: the first ten, and how many there are. */
export class FirstOf<T> {
  readonly first: T[] = [];
  private counted = 0;

  get count(): number {
    return this.counted;
  }

  add(one: T): void {
    this.counted += 1;
    if (this.first.length < MOST_NAMED) this.first.push(one);
  }

  get isMore(): boolean {
    return this.counted > this.first.length;
  }

  /** `line 3, line 7; and 12 more`. */
  named(wordsOf: (one: T) => string, between = ', '): string {
    return `${this.first.map(wordsOf).join(between)}${this.isMore ? `; and ${this.counted - this.first.length} more` : ''}`;
  }
}
