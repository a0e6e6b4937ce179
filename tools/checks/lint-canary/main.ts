/**
 * Plants files that break the rules, lints through Nx, and fails unless each is reported: a rule that has stopped to work
 * would otherwise look like code without a fault. The files are removed whatever happens.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository/repository';
import { FOLDER, PLANTED, type PlantedFile } from './planted';
import { unreported } from './reported';

const root = repositoryRoot();
/** The graph that Nx draws of what is planted: in the place of the real one it would be believed by the next to lint. */
const ownGraph = mkdtempSync(join(tmpdir(), 'twinyard-lint-canary-'));
const projects = [...new Set(PLANTED.map(({ path }) => path.split('/src/')[0] ?? ''))];

async function main(): Promise<number> {
  process.on('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  remove(); // left behind by a run that was killed
  for (const file of PLANTED) write(file);
  const output = await lint();
  const missing = unreported(output, PLANTED);
  for (const { path, rule } of missing) print(`not reported: ${rule} in ${path}`);
  if (missing.length === PLANTED.length) print(output.slice(-4_000));
  print(`${PLANTED.length - missing.length} of ${PLANTED.length} planted violations are reported`);
  return missing.length === 0 ? 0 : 1;
}

function lint(): Promise<string> {
  const names = projects.map((project) => project.split('/')[1]).join(',');
  const args = [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run-many', '-t', 'lint', '-p', names, '--skip-nx-cache', '--parallel=2', '--output-style=static'];
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, NX_DAEMON: 'false', NX_WORKSPACE_DATA_DIRECTORY: ownGraph }, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

function write({ path, text }: PlantedFile): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function remove(): void {
  for (const folder of projects.map((project) => join(root, project, 'src', FOLDER))) if (existsSync(folder)) rmSync(folder, { recursive: true });
  rmSync(ownGraph, { recursive: true, force: true });
}

const print = (line: string) => process.stdout.write(`${line}\n`);

void main().then((code) => process.exit(code));
