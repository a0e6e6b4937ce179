import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAtHand } from '@twinyard/testing/shared-data';
import { type AllowedSkip, type JestReport, parseAllowedSkips, sumUp, type TestSums } from './test-results';

/** The runs of Jest that have to hold, as npm is asked for them. */
export const TEST_RUNS: readonly (readonly string[])[] = [['test'], ['run', 'test:delivery'], ['run', 'test:engines'], ['run', 'test:scale'], ['run', 'test:scim'], ['run', 'test:browser'], ['run', 'test:oidc']];

export const commandOf = (args: readonly string[]) => `npm ${args.join(' ')}`;

/** Jest's own words go to the log, the sums are read from its report. It ends with its last test: what one has left open would keep it, and CI, for ever. */
export function runTests(root: string, args: readonly string[]): TestSums {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-ci-'));
  const [report, skips] = [join(folder, 'jest.json'), join(folder, 'skips')];
  try {
    const { status } = spawnSync('npm', [...args, '--', '--json', `--outputFile=${report}`, '--forceExit'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
      env: { ...process.env, TWINYARD_ENGINE_SKIPS: skips },
    });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, lines: [`${commandOf(args)} ended with ${status} and left no report`] };
    const sums = sumUp(JSON.parse(readFileSync(report, 'utf8')) as JestReport, [...allowedIn(root), ...saidBy(skips)], (path) => isAtHand(path, root));
    if (status === 0 || sums.failed > 0) return sums;
    return { ...sums, failed: 1, lines: [...sums.lines, `${commandOf(args)} ended with ${status}, though no test failed`] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const allowedIn = (root: string) => parseAllowedSkips(readFileSync(join(root, 'tools', 'checks', 'allowed-skips.txt'), 'utf8'));

/** What the run on the engines has skipped for want of an engine, or since the engine cannot do it: it notes each test with its reason. */
export function saidBy(file: string): AllowedSkip[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '');
  const skips = lines.map((line) => JSON.parse(line) as { readonly test: string; readonly reason: string });
  return skips.filter(({ reason }) => reason !== '').map(({ test, reason }) => ({ name: test, reason }));
}
