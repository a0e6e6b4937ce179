import type { Failure, Skip, Unsteady } from './jest-report';

/** What became of a suite or a check. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
  readonly unsteady: readonly Unsteady[];
}

export interface Run {
  readonly steps: readonly Step[];
  /** Suites for which no time was left. */
  readonly notRun: readonly string[];
  /** From the begin of `.ci/run`. */
  readonly seconds: number;
}

/** The end of the log: what a reader has to know, the sums last. */
export function closingPage({ steps, notRun, seconds }: Run): string[] {
  const all = <K extends 'failures' | 'skips' | 'unsteady'>(key: K) => steps.flatMap((step) => step[key] as Step[K][number][]);
  const sum = (count: (step: Step) => number) => steps.reduce((total, step) => total + count(step), 0);
  const skips = all('skips') as Skip[];
  const sums = [`${sum(({ passed }) => passed)} passed`, `${sum(({ failures }) => failures.length)} failed`, ...(skips.length > 0 ? [`${skips.length} skipped`] : [])];
  return [
    '',
    `== the run, in ${minutes(seconds)}`,
    ...steps.map(timeOf),
    ...byReason(skips),
    ...(all('unsteady') as Unsteady[]).flatMap(({ file, test, said }) => [`unsteady: ${file}: ${test}`, ...indented(said)]),
    ...notRun.map((name) => `not run: ${name}: no time was left for it`),
    ...(all('failures') as Failure[]).flatMap(({ file, what, said }) => [`FAILED: ${file === undefined ? '' : `${file}: `}${what}`, ...indented(said)]),
    sums.join(', '),
  ];
}

const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`);

const timeOf = ({ name, seconds, passed, failures }: Step) =>
  `${String(Math.round(seconds)).padStart(6)} s  ${name}: ${passed} passed${failures.length > 0 ? `, ${failures.length} FAILED` : ''}`;

function byReason(skips: readonly Skip[]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of skips) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([reason, count]) => `skipped: ${count}, ${reason}`);
}

const minutes = (seconds: number) => `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
