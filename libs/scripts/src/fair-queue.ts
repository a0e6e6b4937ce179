/** What waits, or has a place: it is counted for each of its owners. */
export interface Owned {
  readonly owners: readonly string[];
}

export interface Queued extends Owned {
  /** What it holds while it waits. */
  readonly bytes: number;
}

export interface FairQueueBounds {
  /** Waiting, of all owners. */
  readonly total: number;
  /** Waiting, of one owner. */
  readonly perOwner: number;
  /** What all that wait may hold; of one owner half of it. */
  readonly bytes: number;
  /** Places that one owner has at once; as many as there are without it. */
  readonly places?: number;
}

/** Counts of what each owner has; an owner with nothing is forgotten. */
class Shares {
  private readonly counts = new Map<string, number>();

  add({ owners }: Owned, difference: number): void {
    for (const owner of owners) {
      const count = (this.counts.get(owner) ?? 0) + difference;
      if (count > 0) this.counts.set(owner, count);
      else this.counts.delete(owner);
    }
  }

  /** Of the owner that has most: who comes in the name of many is no better off. */
  most({ owners }: Owned): number {
    return Math.max(0, ...owners.map((owner) => this.counts.get(owner) ?? 0));
  }
}

/** Waits in order of arrival, except that whoever has the fewest places comes first: one tenant never holds up another for longer than a run. */
export class FairQueue<T extends Queued> {
  private readonly waiting: T[] = [];
  private readonly waitingShares = new Shares();
  private readonly waitingBytes = new Shares();
  private readonly running = new Shares();
  private bytes = 0;

  constructor(private readonly bounds: FairQueueBounds) {}

  /** Why it cannot wait; `undefined` when it does. */
  add(entry: T): 'full' | 'share' | undefined {
    const { total, perOwner, bytes } = this.bounds;
    if (this.waitingShares.most(entry) >= perOwner || this.waitingBytes.most(entry) + entry.bytes > bytes / 2) return 'share';
    if (this.waiting.length >= total || this.bytes + entry.bytes > bytes) return 'full';
    this.waiting.push(entry);
    this.count(entry, 1);
    return undefined;
  }

  begins(entry: Owned): void {
    this.running.add(entry, 1);
  }

  ends(entry: Owned): void {
    this.running.add(entry, -1);
  }

  /** Whether its owners have fewer places than they may have. */
  mayBegin(entry: Owned): boolean {
    return this.running.most(entry) < this.places;
  }

  /** The next, which no longer waits. The queue is short: it is looked through as it is. */
  next(): T | undefined {
    let [best, fewest]: [number | undefined, number] = [undefined, this.places];
    for (const [index, entry] of this.waiting.entries()) {
      const share = this.running.most(entry);
      if (share < fewest) [best, fewest] = [index, share];
    }
    return best === undefined ? undefined : this.take(best);
  }

  /** All that wait, whatever their owners have. */
  empty(): T[] {
    const all = this.waiting.splice(0);
    for (const entry of all) this.count(entry, -1);
    return all;
  }

  private get places(): number {
    return this.bounds.places ?? Infinity;
  }

  private take(index: number): T {
    const [entry] = this.waiting.splice(index, 1) as [T];
    this.count(entry, -1);
    return entry;
  }

  private count(entry: T, sign: 1 | -1): void {
    this.waitingShares.add(entry, sign);
    this.waitingBytes.add(entry, sign * entry.bytes);
    this.bytes += sign * entry.bytes;
  }
}
