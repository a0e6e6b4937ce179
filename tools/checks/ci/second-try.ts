import { COULD_NOT_RUN, type Failure, type Outcome } from './jest-report';

/** More files than these are no accident, and would take the time of what is still to be run. */
const MAX_FILES = 4;

/** Runs files that failed once more, alone: what holds then is unsteady. */
export async function withSecondTry(first: Outcome, runAlone: (file: string) => Promise<Outcome>): Promise<Outcome> {
  const files = [...new Set(first.failures.flatMap(({ file, mayPassAgain }) => (mayPassAgain && file !== undefined ? [file] : [])))];
  if (files.length > MAX_FILES) return first;
  let outcome = first;
  for (const file of files) outcome = afterSecond(outcome, file, await runAlone(file));
  return outcome;
}

/** The file's second run takes the place of its first. */
function afterSecond(outcome: Outcome, file: string, second: Outcome): Outcome {
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
    unsteady: [...outcome.unsteady, ...failed.map(({ what, said }) => ({ file, test: what, said })), ...second.unsteady],
  };
}
