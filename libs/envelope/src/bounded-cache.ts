interface Entry<V> {
  readonly value: Promise<V>;
  readonly until: number;
}

/** Remembers what was loaded, for a short while and up to a number of entries; the one used longest ago goes first. */
export class BoundedCache<V> {
  private readonly entries = new Map<string, Entry<V>>();

  constructor(
    private readonly lifeMs: number,
    private readonly capacity: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Those who ask for the same at once wait for one load. What fails, or `undefined`, is not remembered. */
  async get(name: string, load: () => Promise<V>): Promise<V> {
    const known = this.entries.get(name);
    this.entries.delete(name);
    const entry = known !== undefined && known.until > this.now() ? known : { value: load(), until: this.now() + this.lifeMs };
    this.entries.set(name, entry);
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.capacity) break;
      this.entries.delete(oldest);
    }
    return this.settled(name, entry);
  }

  forget(name: string): void {
    this.entries.delete(name);
  }

  get size(): number {
    return this.entries.size;
  }

  private async settled(name: string, entry: Entry<V>): Promise<V> {
    let value: V | undefined;
    try {
      return (value = await entry.value);
    } finally {
      if (value === undefined && this.entries.get(name) === entry) this.entries.delete(name);
    }
  }
}
