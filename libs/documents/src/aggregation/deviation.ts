import { $push } from 'mingo/operators/accumulator';
import type { Any, Options } from 'mingo/types';

type Accumulator = (documents: Any[], operand: Any, options: Options) => number | null;

/** mingo says 0 of no numbers, MongoDB `null`: the population's of none, the sample's of less than two. */
const deviation = (spared: 0 | 1): Accumulator => (documents, operand, options) => {
  const numbers = $push(documents, operand, options).filter((value): value is number => typeof value === 'number');
  if (numbers.length <= spared) return null;
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return Math.sqrt(numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (numbers.length - spared));
};

export const stdDevPop = deviation(0);
export const stdDevSamp = deviation(1);
