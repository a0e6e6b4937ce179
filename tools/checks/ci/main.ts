/** What .ci/run runs after `npm ci`: the tests, on one machine's stores and on the engines, then everything else that must hold. The last line has the sums. */
import { repositoryRoot } from '../repository/repository';
import { CHECKS } from './checks';
import { commandOf, runTests, TEST_RUNS } from './test-runs';

const root = repositoryRoot();
const print = (line: string) => process.stdout.write(`${line}\n`);

function main(): void {
  const runs = TEST_RUNS.map((args) => {
    const sums = timed(commandOf(args), () => runTests(root, args));
    for (const line of sums.lines) print(`  ${line}`);
    return sums;
  });
  const results = CHECKS.map(({ name, run }) => {
    const faults = timed(name, () => run(root));
    print(`${faults.length === 0 ? 'passed' : 'FAILED'}: ${name}`);
    for (const fault of faults) print(`  ${fault}`);
    return faults.length === 0;
  });
  const total = (sum: 'passed' | 'failed' | 'skipped') => runs.reduce((before, sums) => before + sums[sum], 0);
  const passed = total('passed') + results.filter((held) => held).length;
  const failed = total('failed') + results.filter((held) => !held).length;
  print(`${passed} passed, ${failed} failed${total('skipped') > 0 ? `, ${total('skipped')} skipped` : ''}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function timed<T>(name: string, work: () => T): T {
  const began = Date.now();
  print(`== ${name}`);
  const result = work();
  print(`== ${name}: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
  return result;
}

main();
