import type { MetricName } from '../metrics/metric-catalogue';

/** What one measured thing adds to one metric, at the metric's finest dimensions; a dimension that the metric lacks is ''. */
export interface Contribution {
  readonly metric: MetricName;
  readonly namespace: string;
  readonly outer: string;
  readonly inner: string;
  readonly value: number;
}

/** How much a series changes. */
export interface SeriesDelta {
  readonly metric: MetricName;
  readonly namespace: string;
  readonly outer: string;
  readonly inner: string;
  readonly delta: number;
}

/**
 * The change of every series between what a thing said before and what it says now. A value counts in the series of its own
 * dimensions and in each that leaves dimensions out. In a fixed order, so that two transactions lock the same rows alike.
 */
export function deltasBetween(before: readonly Contribution[], after: readonly Contribution[]): SeriesDelta[] {
  const sums = new Map<string, SeriesDelta>();
  const add = (contribution: Contribution, sign: 1 | -1) => {
    for (const series of seriesOf(contribution)) {
      const key = JSON.stringify([series.metric, series.namespace, series.outer, series.inner]);
      sums.set(key, { ...series, delta: (sums.get(key)?.delta ?? 0) + sign * contribution.value });
    }
  };
  before.forEach((contribution) => add(contribution, -1));
  after.forEach((contribution) => add(contribution, 1));
  return [...sums].filter(([, { delta }]) => delta !== 0).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
}

function seriesOf({ metric, namespace, outer, inner }: Contribution): Omit<SeriesDelta, 'delta'>[] {
  const outers = outer === '' ? [''] : ['', outer];
  const inners = inner === '' ? [''] : ['', inner];
  return outers.flatMap((o) => inners.map((i) => ({ metric, namespace, outer: o, inner: i })));
}
