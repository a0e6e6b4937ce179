import { invalid } from '@twinyard/conventions';
import type { AnyObject } from 'mingo/types';
import { rowByRow } from '../mingo-operators';
import { orderOf } from '../order';

/** Where one begins, and where the next one does or the last one ends. */
export interface Bounds {
  readonly min: unknown;
  readonly max: unknown;
}

/** Cuts keys that come in their order into buckets, one behind the other. */
export interface BucketCuts {
  /** Whether this key, which is next, belongs to the bucket at hand; otherwise that has ended. */
  take(key: unknown): boolean;
  /** Of the bucket that has ended, before the next key or, without one, behind the last. The next one is at hand then. */
  end(next?: { readonly key: unknown }): Bounds;
}

/** `size`: how many keys there are. */
export function bucketCuts({ buckets, granularity }: AnyObject, size: number): BucketCuts {
  const terms = { most: buckets as number, size: Math.max(1, Math.round(size / (buckets as number))) };
  if (granularity === undefined) return new EvenCuts(terms);
  return granularity === 'POWERSOF2' ? new PowerCuts(terms.size) : new SeriesCuts(terms, boundAbove(granularity as string));
}

/** What boundaries of a series of numbers are for; what is neither leads mingo round and round. Errors: `invalid`. */
export function requireCountable(key: unknown): void {
  if (typeof key !== 'number' || !Number.isFinite(key) || key < 0) throw invalid('$bucketAuto: with a granularity, groupBy must give numbers of 0 and more');
}

interface Terms {
  readonly most: number;
  /** Keys that a bucket has about. */
  readonly size: number;
}

/** Of about one size; keys that are equal stay together, and the last bucket has what is left. */
class EvenCuts implements BucketCuts {
  private made = 1;
  private count = 0;
  private first: unknown;
  private last: unknown;

  constructor(private readonly terms: Terms) {}

  take(key: unknown): boolean {
    if (this.made < this.terms.most && this.count >= this.terms.size && orderOf(this.last, key) !== 0) return false;
    if (this.count === 0) this.first = key;
    this.count += 1;
    this.last = key;
    return true;
  }

  end(next?: { readonly key: unknown }): Bounds {
    this.made += 1;
    this.count = 0;
    return { min: this.first, max: next === undefined ? this.last : next.key };
  }
}

/** Each bucket ends at the number of a series that is above what would be about its size. */
class SeriesCuts implements BucketCuts {
  private made = 1;
  private count = 0;
  private last = 0;
  private limit = 0;
  private min = 0;

  constructor(private readonly terms: Terms, private readonly above: (number: number) => number) {}

  take(key: unknown): boolean {
    if (this.made < this.terms.most && this.count === this.terms.size) this.limit = this.above(this.last);
    if (this.made < this.terms.most && this.count >= this.terms.size && (key as number) >= this.limit) return false;
    this.count += 1;
    this.last = key as number;
    return true;
  }

  end(): Bounds {
    const bounds = { min: this.min, max: this.above(this.last) };
    [this.made, this.count, this.min] = [this.made + 1, 0, bounds.max];
    return bounds;
  }
}

/** The first bucket ends at a power of two, each other at twice the end of the one before: some hold nothing. */
class PowerCuts implements BucketCuts {
  private count = 0;
  private limit = 0;
  private min = 0;

  constructor(private readonly size: number) {}

  take(key: unknown): boolean {
    const isWhole = this.min > 0 || this.count >= this.size;
    if (isWhole && (key as number) >= this.limit) return false;
    this.count += 1;
    if (this.min === 0 && this.count <= this.size) this.limit = powerAbove(key as number);
    return true;
  }

  end(): Bounds {
    const bounds = { min: this.min, max: this.limit };
    [this.count, this.min, this.limit] = [0, this.limit, 2 * this.limit];
    return bounds;
  }
}

const powerAbove = (number: number): number => (number === 0 ? 0 : 2 ** (Math.floor(Math.log2(number)) + 1));

/** mingo knows the series: it is where a bucket ends that has this number alone. */
function boundAbove(granularity: string): (number: number) => number {
  const run = rowByRow([{ $bucketAuto: { groupBy: '$key', buckets: 1, granularity, output: { count: { $count: {} } } } }]);
  return (key) => {
    const [bucket] = run([{ key }]);
    return (bucket?.['_id'] as { readonly max: number }).max;
  };
}
