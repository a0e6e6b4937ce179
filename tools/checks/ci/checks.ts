import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { longFiles } from '../repository/long-files';
import { lockedHosts, strayTraces } from '../repository/stray-traces';

/** One thing that has to hold besides the tests. */
export interface Check {
  readonly name: string;
  /** What is wrong, in lines to read; nothing when it holds. */
  readonly run: (root: string) => readonly string[];
}

export const CHECKS: readonly Check[] = [
  { name: 'lint, through Nx', run: nodeModule('nx/dist/bin/nx.js', 'run-many', '-t', 'lint', '--parallel=2', '--output-style=static') },
  { name: 'lint reports planted violations', run: compiled('tools/checks/lint-canary/main.js') },
  { name: 'types', run: nodeModule('typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'generated files are not stale', run: compiled('tools/checks/generated/main.js', '--check') },
  { name: 'no file over 300 lines', run: longFiles },
  { name: 'no path of a machine, no registry host', run: strayTraces },
  { name: 'the lock file names no host', run: lockedHosts },
  { name: 'manifests of Kubernetes: kustomize build, kubeconform -strict', run: spoken('tools/deployment/check-manifests.js') },
];

const nodeModulesOf = (root: string) => join(root, 'node_modules');

function nodeModule(file: string, ...args: string[]): Check['run'] {
  return (root) => succeeds(root, join(nodeModulesOf(root), file), args);
}

function compiled(file: string, ...args: string[]): Check['run'] {
  return (root) => succeeds(root, join(root, 'dist', file), args);
}

/** Like `compiled`, and what it says is to be read in any case: what it could not check. */
function spoken(file: string): Check['run'] {
  return (root) => {
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist', file)], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = stdout.split('\n').filter((line) => line !== '');
    if (status !== 0) return lines.length === 0 ? ['failed without a word'] : lines;
    for (const line of lines) process.stdout.write(`  ${line}\n`);
    return [];
  };
}

const LAST_LINES = 80;

function succeeds(root: string, file: string, args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'pipe'] });
  if (status === 0) return [];
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? ['failed without a word'] : lines.slice(-LAST_LINES);
}
