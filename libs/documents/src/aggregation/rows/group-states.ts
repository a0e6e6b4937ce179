import { Spread } from '../deviation';
import { orderOf } from '../order';
import { ranksOf } from '../percentile';
import { bytesOf, type Holding, VALUE_BYTES } from './held-rows';
import { nameOf } from './value-name';

/** What an accumulator knows of the rows of a group that came so far. */
export interface GroupState {
  /** What its expression gave for one more of them; `undefined`: what is missing, which is no value. Errors: `limit_exceeded`. */
  add(value: unknown): void;
  result(): unknown;
}

export type Accumulator = readonly [operator: string, operand: unknown];

/** What an accumulator asks of each row. */
export function expressionOf([operator, operand]: Accumulator): unknown {
  if (operator === '$count') return null;
  return operator === '$percentile' ? (operand as { readonly input: unknown }).input : operand;
}

export function stateOf([operator, operand]: Accumulator, holding: Holding): GroupState {
  holding.take(STATE_BYTES);
  switch (operator) {
    case '$count':
      return new Folded(0, (count) => count + 1);
    case '$first':
      return new Chosen(holding, (_, first) => first === undefined);
    case '$last':
      return new Chosen(holding, () => true);
    case '$sum':
      return new Folded(0, (total, value) => (typeof value === 'number' ? total + value : total));
    case '$avg':
      return new Folded({ total: 0, count: 0 }, addToMean, ({ total, count }) => (count === 0 ? null : total / count));
    case '$min':
      return new Chosen(holding, isBefore(-1));
    case '$max':
      return new Chosen(holding, isBefore(1));
    case '$stdDevPop':
      return new Folded(new Spread(), addToSpread, (spread) => spread.deviation(0));
    case '$stdDevSamp':
      return new Folded(new Spread(), addToSpread, (spread) => spread.deviation(1));
    case '$percentile':
      return new Percentiles(holding, (operand as { readonly p: readonly number[] }).p);
    case '$addToSet':
      return new Distinct(holding);
    case '$push':
      return new Pushed(holding);
    default:
      throw new Error(`There is no accumulator ${operator}`);
  }
}

const STATE_BYTES = 64;

class Folded<S> implements GroupState {
  constructor(private state: S, private readonly fold: (state: S, value: unknown) => S, private readonly finish: (state: S) => unknown = (state) => state) {}

  add(value: unknown): void {
    this.state = this.fold(this.state, value);
  }

  result(): unknown {
    return this.finish(this.state);
  }
}

interface Mean {
  total: number;
  count: number;
}

function addToMean(mean: Mean, value: unknown): Mean {
  if (typeof value !== 'number') return mean;
  mean.total += value;
  mean.count += 1;
  return mean;
}

function addToSpread(spread: Spread, value: unknown): Spread {
  if (typeof value === 'number') spread.add(value);
  return spread;
}

/** Arrays as they are: a group compares them whole, as a sort does not. Of what is nothing there is no least and no greatest. */
const isBefore = (direction: 1 | -1) => (value: unknown, best: unknown): boolean =>
  value !== null && value !== undefined && (best === undefined || orderOf(value, best) * direction > 0);

/** One of the values. */
class Chosen implements GroupState {
  private value: unknown;
  private bytes = 0;

  constructor(private readonly holding: Holding, private readonly isWanted: (value: unknown, chosen: unknown) => boolean) {}

  add(value: unknown): void {
    if (!this.isWanted(value, this.value)) return;
    const bytes = bytesOf(value);
    if (bytes !== this.bytes) this.holding.take(bytes - this.bytes);
    [this.value, this.bytes] = [value ?? null, bytes];
  }

  result(): unknown {
    return this.value ?? null;
  }
}

class Pushed implements GroupState {
  private readonly values: unknown[] = [];

  constructor(private readonly holding: Holding) {}

  add(value: unknown): void {
    if (value === undefined) return;
    this.holding.take(bytesOf(value));
    this.values.push(value);
  }

  result(): unknown {
    return this.values;
  }
}

/** Each value once. */
class Distinct implements GroupState {
  private readonly values = new Map<string, unknown>();

  constructor(private readonly holding: Holding) {}

  add(value: unknown): void {
    if (value === undefined) return;
    const name = nameOf(value);
    if (this.values.has(name)) return;
    this.holding.take(bytesOf(value) + bytesOf(name));
    this.values.set(name, value);
  }

  result(): unknown {
    return [...this.values.values()];
  }
}

class Percentiles implements GroupState {
  private readonly numbers: number[] = [];

  constructor(private readonly holding: Holding, private readonly shares: readonly number[]) {}

  add(value: unknown): void {
    if (typeof value !== 'number') return;
    // Once more while they are sorted.
    this.holding.take(2 * VALUE_BYTES);
    this.numbers.push(value);
  }

  result(): unknown {
    return ranksOf(this.numbers, this.shares);
  }
}
