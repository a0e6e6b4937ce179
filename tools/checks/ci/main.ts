/**
 * What .ci/run runs after `npm ci` and the build: the core, which is `npm test` and what can be said of the sources, then, unless it was asked for
 * `core` alone, the long suites; asked for `checks` it does no more than that: read the sources. The end of the log is a page to read; its last line has the sums.
 */
import { repositoryRoot } from '../repository/repository';
import { type Check, CORE_CHECKS, LONG_CHECKS } from './checks';
import { closingPage, type Step } from './closing-page';
import { firstLines } from './jest-report';
import { prepare } from './preparations';
import { runSuite, type Terms } from './run-suite';
import { commandOf, CORE_SUITES, LONG_SUITES, type Suite } from './suites';

const MINUTE_MS = 60_000;
/** A long suite begins no later than this, so that the run ends within its 90 minutes. */
const LAST_BEGIN_MS = 60 * MINUTE_MS;
const LIMIT_MS = 85 * MINUTE_MS;
/** On the closing page; all of them stand where the check ran. */
const SHOWN_FAULTS = 8;

interface Part {
  readonly suites: readonly Suite[];
  readonly isWhole: boolean;
}

const WHOLE: Part = { suites: CORE_SUITES, isWhole: true };
const PARTS: Readonly<Record<string, Part>> = { core: { suites: CORE_SUITES, isWhole: false }, checks: { suites: [], isWhole: false } };

const began = Number(process.env.TWINYARD_CI_BEGAN ?? Date.now() / 1_000) * 1_000;
const terms: Terms = { root: repositoryRoot(), deadline: began + LIMIT_MS };
const print = (line: string) => void process.stdout.write(`${line}\n`);
const spent = () => (Date.now() - began) / 1_000;

async function main(): Promise<void> {
  const { suites, isWhole } = PARTS[process.argv[2] ?? ''] ?? WHOLE;
  const steps: Step[] = [{ name: 'npm ci and the build', seconds: spent(), passed: 0, failures: [], skips: [], unsteady: [] }];
  const prepared = isWhole ? prepare(terms.root).catch((error: unknown) => [`not installed: ${String(error)}`]) : [];
  for (const suite of suites) steps.push(await stepOfSuite(suite));
  for (const check of CORE_CHECKS) steps.push(await stepOfCheck(check));
  for (const line of await prepared) print(line);
  const notRun = isWhole ? await runLong(steps) : [];
  for (const line of closingPage({ steps, notRun, seconds: spent() })) print(line);
  process.exitCode = steps.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** Adds to the steps; resolves with the suites for which no time was left. */
async function runLong(steps: Step[]): Promise<string[]> {
  const notRun: string[] = [];
  for (const suite of LONG_SUITES) {
    if (Date.now() - began > LAST_BEGIN_MS) notRun.push(commandOf(suite));
    else steps.push(await stepOfSuite(suite));
  }
  for (const check of LONG_CHECKS) steps.push(await stepOfCheck(check));
  return notRun;
}

async function stepOfSuite(suite: Suite): Promise<Step> {
  const name = commandOf(suite);
  return timed(name, () => runSuite(suite, terms));
}

async function stepOfCheck({ name, run, speaks }: Check): Promise<Step> {
  return timed(name, async () => {
    const { faults, said } = await run(terms);
    for (const line of [...faults, ...(speaks ? said : [])]) print(`  ${line}`);
    const failures = faults.length === 0 ? [] : [{ what: name, said: faults.slice(0, SHOWN_FAULTS), mayPassAgain: false }];
    return { passed: faults.length === 0 ? 1 : 0, failures, skips: [], unsteady: [] };
  });
}

async function timed(name: string, work: () => Promise<Omit<Step, 'name' | 'seconds'>>): Promise<Step> {
  const start = Date.now();
  print(`== ${name}`);
  const outcome = await work().catch((error: unknown) => fault(name, error));
  const seconds = (Date.now() - start) / 1_000;
  print(`== ${name}: ${seconds.toFixed(0)} s`);
  return { name, seconds, ...outcome };
}

/** Nothing that goes wrong here leaves the log without its sums. */
const fault = (what: string, error: unknown): Omit<Step, 'name' | 'seconds'> => ({
  passed: 0, failures: [{ what, said: firstLines(error instanceof Error ? (error.stack ?? error.message) : String(error)), mayPassAgain: false }], skips: [], unsteady: [],
});

void main();
