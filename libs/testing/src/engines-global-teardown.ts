import { readCannot } from './cannot';
import { type EngineSkip, ENGINE_SKIPS, readSkips } from './engine-skips';
import { testRun } from './test-run';

interface JestRun {
  readonly nonFlagArgs: readonly string[];
  readonly testNamePattern?: string;
  readonly onlyFailures: boolean;
}

/** As `jest.engines.config.mjs` names them: other suites on engines, such as `*.scale.ts`, have none of the tests that cannot.txt lists. */
const ENGINE_SUITES = '**/*.engines.ts';

/** Stops the engines and prints what was skipped, by name. A line of cannot.txt that no test answers to fails a run of all suites of engines. */
export default async function stopSharedEngines(run: JestRun, { testMatch }: { readonly testMatch: readonly string[] }): Promise<void> {
  await testRun.engines?.stop();
  const skips = readSkips(process.env[ENGINE_SKIPS] ?? '');
  for (const { test, reason } of skips.filter((skip) => skip.reason !== '')) console.log(`skipped: ${test} (${reason})`);
  const isWhole = testMatch.includes(ENGINE_SUITES) && run.nonFlagArgs.length === 0 && !run.testNamePattern && !run.onlyFailures;
  const stale = isWhole ? staleLines(skips) : [];
  if (stale.length > 0) throw new Error(`cannot.txt lists what no test is called:\n${stale.join('\n')}`);
}

function staleLines(skips: readonly EngineSkip[]): string[] {
  const answered = new Set(skips.map(({ cannot }) => cannot));
  return readCannot().map(({ name }) => name).filter((name) => !answered.has(name));
}
