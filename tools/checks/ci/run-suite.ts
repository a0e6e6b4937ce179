import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { allowedSkips, type NotedSkip, skipJudge } from './allowed-skips';
import { atHand } from './at-hand';
import { type RunOptions, runToEnd } from './child';
import { type JestReport, type Outcome, outcomeOf } from './jest-report';
import { withSecondTry } from './second-try';
import { commandOf, type Suite } from './suites';

export interface Terms {
  readonly root: string;
  /** In ms since 1970. */
  readonly deadline: number;
  /** Whether what Jest says goes to the log; it does unless said otherwise. */
  readonly output?: RunOptions['output'];
}

/** Runs a suite, and where it has a second try those of its files once more that failed. */
export async function runSuite(suite: Suite, terms: Terms): Promise<Outcome> {
  const first = await runJest(suite.args, [], terms);
  if (!suite.hasSecondTry) return first;
  return withSecondTry(first, (file) => runJest(suite.args, ['--runInBand', '--runTestsByPath', file], terms));
}

/** Jest's own words go to the log, what became of the tests is read from its report. It ends with its last test: what one has left open would keep it, and CI, for ever. */
export async function runJest(args: readonly string[], more: readonly string[], { root, deadline, output = 'show' }: Terms): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-ci-'));
  const [reportFile, notesFile] = [join(folder, 'jest.json'), join(folder, 'skips')];
  try {
    const { status } = await runToEnd('npm', [...args, '--', ...more, '--json', `--outputFile=${reportFile}`, '--forceExit'], {
      cwd: root, env: { ...process.env, TWINYARD_ENGINE_SKIPS: notesFile }, output, deadline,
    });
    if (status === undefined) return broken(`${commandOf({ args })} was stopped: it went on until the time of the whole run was up`);
    if (!existsSync(reportFile)) return broken(`${commandOf({ args })} ended with ${status} and left no report`);
    const judge = skipJudge(allowedSkips(root), readNotes(notesFile), atHand(root));
    const outcome = withPathsFrom(root, outcomeOf(JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport, judge));
    if (status === 0 || outcome.failures.length > 0) return outcome;
    return { ...outcome, failures: broken(`${commandOf({ args })} ended with ${status}, though no test failed`).failures };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const broken = (what: string): Outcome => ({ passed: 0, failures: [{ what, said: [], mayPassAgain: false }], skips: [], unsteady: [] });

const withPathsFrom = (root: string, outcome: Outcome): Outcome => ({
  ...outcome,
  failures: outcome.failures.map((failure) => ({ ...failure, ...(failure.file !== undefined && { file: relative(root, failure.file) }) })),
  unsteady: outcome.unsteady.map((unsteady) => ({ ...unsteady, file: relative(root, unsteady.file) })),
});

/** Which tests the run has skipped for want of an engine, or since the engine cannot do it, each with its reason. */
export function readNotes(file: string): NotedSkip[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as NotedSkip);
}
