import type { SeriesDelta } from './contribution';

/** The points of a series change by `delta` from one hour on, until before another. */
export interface SeriesChange extends SeriesDelta {
  /** ISO 8601 */
  readonly from: string;
  /** ISO 8601, or `infinity`. */
  readonly until: string;
}

interface Changes {
  readonly series: SeriesDelta;
  /** What is added from an hour on. */
  readonly byHour: Map<number, number>;
}

/** Sums up the deltas of many events. An hour whose deltas cancel each other out has a point nevertheless, as it has when they come one by one. */
export class SeriesChanges {
  private readonly known = new Map<string, Changes>();

  add(hour: Date, deltas: readonly SeriesDelta[]): void {
    for (const series of deltas) {
      const key = JSON.stringify([series.metric, series.namespace, series.outer, series.inner]);
      const { byHour } = this.known.get(key) ?? { byHour: new Map<number, number>() };
      byHour.set(hour.getTime(), (byHour.get(hour.getTime()) ?? 0) + series.delta);
      this.known.set(key, { series, byHour });
    }
  }

  list(): SeriesChange[] {
    return [...this.known.values()].flatMap(({ series, byHour }) => {
      const hours = [...byHour.keys()].sort((a, b) => a - b);
      let sum = 0;
      return hours.map((hour, index) => {
        sum += byHour.get(hour) ?? 0;
        return { ...series, from: stamp(hour), until: stamp(hours[index + 1]), delta: sum };
      });
    });
  }
}

const stamp = (hour: number | undefined) => (hour === undefined ? 'infinity' : new Date(hour).toISOString());
