import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

interface Results {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly message: string }[];
}

/** `*.world.ts` as Jest runs spec files, one after the other in one process. */
function runWorlds(): Results {
  const options = ['--runInBand', '--json', '--testMatch', '**/tools/jest/test/*.world.ts', '--testSequencer', join(__dirname, 'by-name.mjs'), '--globalSetup', '', '--globalTeardown', ''];
  const { stdout, stderr } = spawnSync(process.execPath, [require.resolve('jest/bin/jest'), ...options], { cwd: ROOT, encoding: 'utf8', env: { ...process.env, KEPT: 'kept' } });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Results;
}

describe('spec files of one worker', () => {
  it('share modules and a realm, and nothing else', () => {
    const { numPassedTests, testResults } = runWorlds();
    expect(testResults.map(({ message }) => message).filter((message) => message !== '')).toEqual([]);
    expect(testResults.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)).sort()).toEqual(['another.world.ts', 'one.world.ts', 'own.world.ts']);
    expect(numPassedTests).toBe(12);
  });
});
