import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from '@twinyard/testing/chromium-path';
import { canRunContainers, canUseApt } from './at-hand';

/** What the long suites need and the core does not: it is installed beside it, once for all clones of a machine. */
interface Preparation {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
}

const LOWEST_PRIORITY = 19;
const APT = ['apt-get', '-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=120'];

function preparations(root: string): Preparation[] {
  const dist = (file: string) => join(root, 'dist', file);
  const engines = ['kafka', 'mongo', 'versitygw', 'kustomize', 'kubeconform', ...(process.env.ENGINES_ALL === '1' ? ['minio'] : [])];
  const needsBrowser = chromiumPath() === undefined && canUseApt();
  return [
    ...(needsBrowser ? [{ name: 'Chromium', commands: [[...APT, 'update'], [...APT, 'install', '--yes', '--no-install-recommends', 'chromium']] }] : []),
    { name: 'engines', commands: [[process.execPath, dist('deploy/engines/src/main.js'), 'install', ...engines]] },
    ...(canRunContainers() ? [{ name: 'containers', commands: [[process.execPath, dist('tools/containers/main.js'), 'install']] }] : []),
    { name: 'judges', commands: [[process.execPath, dist('tools/judges/install.js')]] },
  ];
}

/** Begins to install, out of the way of everything else. The answer resolves when all has ended, with lines to read: the suites judge what is there. */
export async function prepare(root: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { name, commands } of preparations(root)) {
    const began = Date.now();
    const fault = await firstFault(commands);
    const seconds = ((Date.now() - began) / 1_000).toFixed(0);
    lines.push(fault === undefined ? `installed: ${name} (${seconds} s, beside the core)` : `not installed: ${name} (${seconds} s)\n${fault}`);
  }
  return lines;
}

async function firstFault(commands: Preparation['commands']): Promise<string | undefined> {
  for (const command of commands) {
    const fault = await faultOf(command).catch(String);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Its output goes to a file, so that it stands nowhere in the midst of what the core says. */
async function faultOf([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-ci-'));
  const file = join(folder, 'output');
  const output = openSync(file, 'w');
  const child = spawn(program, args, { stdio: ['ignore', output, output], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  const closed = once(child, 'close') as Promise<[number | null]>;
  if (child.pid !== undefined) setPriority(child.pid, LOWEST_PRIORITY);
  const [status] = await closed.finally(() => closeSync(output));
  const said = readFileSync(file, 'utf8').trim();
  rmSync(folder, { recursive: true });
  return status === 0 ? undefined : said;
}
