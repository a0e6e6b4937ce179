import { type BenchRow, perSecond } from '../bench-table';
import { quantile } from '../statistics';

export const group = 'jobs';
/** Short jobs of a round, and those that are enqueued one after the other. */
export const SHORT = 6_000;
export const SINGLES = 200;

export const rateOf = (rate: number, bare: number) => ({ measured: perSecond(rate), bare: perSecond(bare), ratio: (rate / bare).toFixed(2), value: rate });

export function latencyOf(waits: readonly number[]): Pick<BenchRow, 'measured' | 'value'> {
  const [p50, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)];
  return { measured: `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`, value: p50 };
}
