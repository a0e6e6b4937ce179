/** A read that is under way, and the one that those wait for who have asked since it began. */
interface UnderWay<R> {
  readonly ended: Promise<unknown>;
  next?: Promise<R>;
}

/**
 * Whoever asks for what is being read shares the next read of it with all that ask meanwhile, so that nobody is answered with what was read before it
 * asked. Who asks alone waits for nobody. They share what was read as well: it is not to be changed.
 */
export class SharedReads<K, R> {
  private readonly underWay = new Map<K, UnderWay<R>>();

  constructor(private readonly read: (key: K) => Promise<R>) {}

  get(key: K): Promise<R> {
    const now = this.underWay.get(key);
    if (now === undefined) return this.begin(key);
    now.next ??= now.ended.then(() => this.begin(key));
    return now.next;
  }

  private begin(key: K): Promise<R> {
    const result = this.read(key);
    const now: UnderWay<R> = { ended: result.then(() => this.end(key, now), () => this.end(key, now)) };
    this.underWay.set(key, now);
    return result;
  }

  /** Who waits begins the next, in the place of this one. */
  private end(key: K, { next }: UnderWay<R>): void {
    if (next === undefined) this.underWay.delete(key);
  }
}
