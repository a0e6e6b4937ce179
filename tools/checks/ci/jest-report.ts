import { withoutColours } from '../without-colours';

/** What this needs of the file that `jest --json --outputFile` writes. */
export interface JestReport {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  /** Its path. */
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages?: readonly string[];
  /** How often it was run: more than once where it says itself that it may be (`jest.retryTimes`). */
  readonly invocations?: number;
  /** Why, where it has that told. */
  readonly retryReasons?: readonly string[];
}

export interface Failure {
  /** `undefined` when no file is to blame: the run itself failed. */
  readonly file?: string;
  /** The test's full name, or what could not be done. */
  readonly what: string;
  /** The first lines of what was said of it. */
  readonly said: readonly string[];
  /** Running its file again may tell whether it is unsteady. */
  readonly mayPassAgain: boolean;
}

export interface Skip {
  readonly test: string;
  readonly reason: string;
}

export interface Unsteady {
  readonly file: string;
  readonly test: string;
  readonly said: readonly string[];
}

export interface Outcome {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
  /** Failed, and held when they were run once more: they count as passed. */
  readonly unsteady: readonly Unsteady[];
}

/** Why a test may be skipped; `undefined` when it may not. */
export type SkipJudge = (test: string) => string | undefined;

/** What a failure says of a file whose tests did not come to run. */
export const COULD_NOT_RUN = 'the file could not run';

const SKIPPED = ['pending', 'skipped', 'todo', 'disabled'];
const LINES = 8;

/** What a run of Jest says. A skipped test that may not be skipped is a failure, and so is a file that could not run. */
export function outcomeOf(report: JestReport, reasonToSkip: SkipJudge): Outcome {
  const outcomes = report.testResults.map((file) => outcomeOfFile(file, reasonToSkip));
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
    skips: outcomes.flatMap(({ skips }) => skips),
    unsteady: outcomes.flatMap(({ unsteady }) => unsteady),
  };
}

function outcomeOfFile({ name: file, status, message, assertionResults: tests }: FileResult, reasonToSkip: SkipJudge): Outcome {
  const failed = tests.filter((test) => test.status === 'failed');
  const passed = tests.filter((test) => test.status === 'passed');
  const skipped = tests.filter((test) => SKIPPED.includes(test.status)).map(({ fullName }) => ({ test: fullName, reason: reasonToSkip(fullName) }));
  const refused = skipped.filter(({ reason }) => reason === undefined);
  const isBroken = status === 'failed' && failed.length === 0;
  return {
    passed: passed.length,
    failures: [
      ...failed.map(({ fullName, failureMessages = [] }) => ({ file, what: fullName, said: firstLines(failureMessages.join('\n')), mayPassAgain: true })),
      ...(isBroken ? [{ file, what: COULD_NOT_RUN, said: firstLines(message), mayPassAgain: true }] : []),
      ...refused.map(({ test }) => ({ file, what: test, said: ['it was skipped, and nothing that it needs is missing (tools/checks/allowed-skips.txt)'], mayPassAgain: false })),
    ],
    skips: skipped.flatMap(({ test, reason }) => (reason === undefined ? [] : [{ test, reason }])),
    unsteady: passed.flatMap(({ fullName: test, invocations = 1, retryReasons = [] }) => (invocations <= 1 ? [] : [{ file, test, said: firstLines(retryReasons.join('\n')) }])),
  };
}

/** Without colours, empty lines and the stack behind them. */
export function firstLines(text: string, most = LINES): string[] {
  return withoutColours(text).split('\n').map((line) => line.trimEnd()).filter((line) => line.trim() !== '' && !/^\s+at /.test(line)).slice(0, most);
}
