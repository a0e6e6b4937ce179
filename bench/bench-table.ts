import type { Load } from './statistics';

export interface BenchRow {
  readonly group: string;
  readonly what: string;
  readonly measured: string;
  /** The same work without us, where there is such a thing: the bare pg driver, or the library alone. */
  readonly bare?: string;
  /** How many times the bare work's throughput: 1 would be no cost at all. */
  readonly ratio?: string;
  /** Processor time of the service for one request, the least of all rounds: what a busy machine tells best. */
  readonly cpu?: string;
  readonly goal?: string;
  /** `measured` as a number, in the unit of its row: for the ratio to the same on engines. */
  readonly value?: number;
  /** The same on PostgreSQL, MongoDB's protocol, Kafka and S3 as servers of their own. */
  readonly engines?: string;
  readonly enginesRatio?: string;
}

const COLUMNS = ['group', 'what', 'measured', 'bare', 'ratio', 'cpu', 'engines', 'enginesRatio', 'goal'] as const;
const TITLES: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  group: 'group', what: 'what', measured: 'measured', bare: 'bare', ratio: 'of bare', cpu: 'processor time of one request',
  engines: 'on engines', enginesRatio: 'engines / measured', goal: 'goal (quiet machine, 2 cores)',
};

/** Columns that nothing was measured for are left out. */
export function formatTable(rows: readonly BenchRow[]): string {
  const columns = COLUMNS.filter((column) => rows.some((row) => row[column] !== undefined));
  const cells = [columns.map((column) => TITLES[column]), ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ').trimEnd());
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n');
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
export const perSecond = (rate: number) => (rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toFixed(1));
export const loadText = ({ perSecond: rate, p50Ms, p99Ms }: Pick<Load, 'perSecond' | 'p50Ms' | 'p99Ms'>) => `${perSecond(rate)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
