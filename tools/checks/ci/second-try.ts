import { COULD_NOT_RUN, type Failure, type Outcome } from './jest-report';

export interface Unsteady {
  readonly file: string;
  readonly test: string;
  readonly said: readonly string[];
}

export interface SuiteOutcome extends Outcome {
  /** Failed, and held when their file was run once more, alone: they count as passed. */
  readonly unsteady: readonly Unsteady[];
}

/** More files than these are no accident, and would take the time of what is still to be run. */
const MAX_FILES = 4;

export async function withSecondTry(first: Outcome, runAlone: (file: string) => Promise<Outcome>): Promise<SuiteOutcome> {
  const files = [...new Set(first.failures.flatMap(({ file, mayPassAgain }) => (mayPassAgain && file !== undefined ? [file] : [])))];
  if (files.length > MAX_FILES) return { ...first, unsteady: [] };
  let outcome: SuiteOutcome = { ...first, unsteady: [] };
  for (const file of files) outcome = afterSecond(outcome, file, await runAlone(file));
  return outcome;
}

/** The file's second run takes the place of its first. */
function afterSecond(outcome: SuiteOutcome, file: string, second: Outcome): SuiteOutcome {
  const isOf = (failure: Failure) => failure.file === file && failure.mayPassAgain;
  const failed = outcome.failures.filter(isOf);
  const others = outcome.failures.filter((failure) => !isOf(failure));
  // What was skipped without a reason is told already.
  const again = second.failures.filter((failure) => failure.mayPassAgain || failure.file === undefined);
  if (again.length > 0) return { ...outcome, failures: [...others, ...again] };
  const ranAtFirst = failed.every(({ what }) => what !== COULD_NOT_RUN);
  return {
    passed: outcome.passed + (ranAtFirst ? failed.length : second.passed),
    failures: others,
    skips: ranAtFirst ? outcome.skips : [...outcome.skips, ...second.skips],
    unsteady: [...outcome.unsteady, ...failed.map(({ what, said }) => ({ file, test: what, said }))],
  };
}
