import { $push } from 'mingo/operators/accumulator';
import type { Any, Options } from 'mingo/types';

/** The least value below or at which the share `p` of the numbers lies (nearest rank); `null` of no numbers. */
function nearestRank(ascending: readonly number[], p: number): number | null {
  return ascending[Math.max(0, Math.ceil(p * ascending.length) - 1)] ?? null;
}

/** `$percentile { input, p, method }` as an accumulator of mingo. Values that are no numbers do not count. */
export function percentile(documents: Any[], operand: Any, options: Options): (number | null)[] {
  const { input, p } = operand as { input: Any; p: readonly number[] };
  const numbers = $push(documents, input, options).filter((value): value is number => typeof value === 'number');
  const ascending = numbers.sort((one, other) => one - other);
  return p.map((share) => nearestRank(ascending, share));
}
