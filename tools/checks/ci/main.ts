/** What .ci/run runs after `npm ci`: the tests, then everything else that must hold. The last line has the sums. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../repository/repository';
import { CHECKS } from './checks';
import { type JestReport, parseAllowedSkips, sumUp, type TestSums } from './test-results';

const root = repositoryRoot();
const print = (line: string) => process.stdout.write(`${line}\n`);

function main(): void {
  const tests = timed('npm test', runTests);
  for (const line of tests.lines) print(`  ${line}`);
  const results = CHECKS.map(({ name, run }) => {
    const faults = timed(name, () => run(root));
    print(`${faults.length === 0 ? 'passed' : 'FAILED'}: ${name}`);
    for (const fault of faults) print(`  ${fault}`);
    return faults.length === 0;
  });
  const passed = tests.passed + results.filter((held) => held).length;
  const failed = tests.failed + results.filter((held) => !held).length;
  print(`${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** The README's command; Jest's own words go to the log, the sums are read from its report. */
function runTests(): TestSums {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-ci-'));
  try {
    const report = join(folder, 'jest.json');
    const { status } = spawnSync('npm', ['test', '--', '--json', `--outputFile=${report}`], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: process.platform === 'win32' });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, lines: [`npm test ended with ${status} and left no report`] };
    const allowed = parseAllowedSkips(readFileSync(join(root, 'tools', 'checks', 'allowed-skips.txt'), 'utf8'));
    const sums = sumUp(JSON.parse(readFileSync(report, 'utf8')) as JestReport, allowed, (path) => existsSync(resolve(root, path)));
    if (status === 0 || sums.failed > 0) return sums;
    return { ...sums, failed: 1, lines: [...sums.lines, `npm test ended with ${status}, though no test failed`] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function timed<T>(name: string, work: () => T): T {
  const began = Date.now();
  print(`== ${name}`);
  const result = work();
  print(`== ${name}: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
  return result;
}

main();
