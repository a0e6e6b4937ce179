import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutColours } from '../checks/without-colours';
import { cacheFolder, environment, requirementsFile } from './config';

/** The oldest Python that the judges run on. */
const OLDEST = [3, 11] as const;
const INSTALL_MS = 300_000;

export type PythonTools = { readonly python: string; readonly scimSanity: string; readonly schemathesis: string } | { readonly missing: string };

/**
 * The judges in an environment of their own, made once for all clones of a machine and named by what is in it, so that a half-made
 * or older one is never used.
 */
export function pythonTools(): PythonTools {
  const python = newEnoughPython();
  if (python === undefined) return { missing: `there is no Python ${OLDEST.join('.')} or newer` };
  const requirements = readFileSync(requirementsFile);
  const folder = join(cacheFolder(), `judges-${createHash('sha256').update(requirements).digest('hex').slice(0, 16)}`);
  const complete = join(folder, 'complete');
  if (!existsSync(complete)) {
    const fault = install(python, folder);
    if (fault !== undefined) return { missing: fault };
    writeFileSync(complete, '');
  }
  return { python: join(folder, 'bin', 'python'), scimSanity: join(folder, 'bin', 'scim-sanity'), schemathesis: join(folder, 'bin', 'schemathesis') };
}

/** The name of a Python on which the judges run. */
export const newEnoughPython = (): string | undefined => ['python3', 'python'].find(isNewEnough);

/** Whether packages can be had: asked for one of those that the judges need. */
export function isRegistryThere(): boolean {
  const [first = ''] = /^[\w-]+==[\w.]+/m.exec(readFileSync(requirementsFile, 'utf8')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-registry-'));
  const fault = run(newEnoughPython() ?? 'python3', '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-cache-dir', '--no-deps', '--dest', folder, first);
  rmSync(folder, { recursive: true });
  return fault === undefined;
}

function isNewEnough(python: string): boolean {
  const { status, stdout } = spawnSync(python, ['-c', 'import sys; print(*sys.version_info[:2])'], { encoding: 'utf8' });
  const [major = 0, minor = 0] = status === 0 ? stdout.trim().split(' ').map(Number) : [];
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** What went wrong, if anything. */
function install(python: string, folder: string): string | undefined {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const made = run(python, '-m', 'venv', folder);
  if (made !== undefined) return `Python cannot make an environment: ${made}`;
  const installed = run(join(folder, 'bin', 'python'), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps', '--requirement', requirementsFile);
  return installed === undefined ? undefined : `the judges could not be installed: ${installed}`;
}

function run(command: string, ...args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS, env: { ...environment, NO_COLOR: '1', PIP_NO_COLOR: '1' } });
  if (status === 0) return undefined;
  return error?.message ?? (lastWords(stderr) || `it ended with ${status}`);
}

/** Of what pip says, the lines that tell of an error; the last one where none does. */
function lastWords(text: string): string {
  const lines = withoutColours(text).split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const errors = lines.filter((line) => line.startsWith('ERROR:'));
  return (errors.length > 0 ? errors : lines.slice(-1)).join(' ');
}
