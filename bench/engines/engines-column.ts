import type { BenchRow } from '../bench-table';

/** Beside each figure of one machine the same one on engines, and how many times the one it is. */
export function withEngines(rows: readonly BenchRow[], onEngines: readonly BenchRow[]): BenchRow[] {
  return rows.map((row) => {
    const other = onEngines.find(({ what }) => what === row.what);
    if (other?.value === undefined || row.value === undefined || !Number.isFinite(other.value / row.value)) return row;
    return { ...row, engines: other.measured, enginesRatio: (other.value / row.value).toFixed(2) };
  });
}
