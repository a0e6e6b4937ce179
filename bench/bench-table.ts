export interface BenchRow {
  readonly group: string;
  readonly what: string;
  readonly measured: string;
  /** The same work without us, where there is such a thing. */
  readonly bare?: string;
  /** How many times the bare work's throughput: 1 would be no cost at all. */
  readonly ratio?: string;
  readonly goal?: string;
}

const COLUMNS = ['group', 'what', 'measured', 'bare', 'ratio', 'goal'] as const;
const TITLES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  group: 'group', what: 'what', measured: 'measured', bare: 'bare pg driver', ratio: 'of bare', goal: 'goal (quiet machine, 2 cores)',
};

export function formatTable(rows: readonly BenchRow[]): string {
  const cells = [COLUMNS.map((column) => TITLES[column]), ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))];
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd());
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
export const perSecond = (rate: number) => (rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toFixed(1));
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
