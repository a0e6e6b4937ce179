/** `npm run engines -- <command>`: real engines on this machine, without containers (deploy/README.md). */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINE_NAMES, isEngineName } from './engines/catalogue';
import type { EngineName } from './engines/engine';
import { EngineSet } from './engine-set';
import { hold } from './hold';
import { PACKAGES, type PackageName } from './packages/catalogue';
import { install, installedFolder, NotInstalled } from './packages/install';
import { missingTools, TOOLS } from './packages/tools';
import { printableSettings } from './printable-settings';

const USAGE = `npm run engines -- <command> [--folder .engines]
  install [names]   gets engines and tools into the cache (${Object.keys(PACKAGES).join(', ')})
  path <name>       where one is installed: the program of that name, or the folder
  missing           which of ${TOOLS.join(', ')} are not there
  up [names]        starts engines and waits until they are healthy (${ENGINE_NAMES.join(', ')})
  env               their addresses, for: env $(npm run -s engines -- env) npm start
  status            which run
  kill <name>       kill -9
  restart <name>    with the same port and data
  down              stops all`;

const say = (line: string) => process.stderr.write(`engines: ${line}\n`);
const print = (line: string) => {
  process.stdout.write(`${line}\n`);
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { folder: { type: 'string', default: '.engines' } } });
const [command = '', ...names] = positionals;
const folder = resolve(values.folder);
const engines = new EngineSet(folder, say);

const COMMANDS: Readonly<Record<string, () => Promise<void> | void>> = {
  install: () => installAll(names.length > 0 ? names.map(packageNamed) : (Object.keys(PACKAGES) as PackageName[])),
  path: () => print(pathOf(packageNamed(names[0] ?? ''))),
  missing: () => missingTools(TOOLS).forEach(print),
  up,
  env: () => printableSettings(engines).forEach(print),
  status: () => engines.started().forEach((name) => print(statusOf(name))),
  kill: () => engines.engine(engineNamed(names[0] ?? '')).kill(),
  restart: () => engines.restart(engineNamed(names[0] ?? '')),
  down: () => engines.down(),
  hold: () => hold(folder, names.map(engineNamed)),
};

async function installAll(wanted: readonly PackageName[]): Promise<void> {
  for (const name of wanted) {
    try {
      say(`${name}: ${await install(name, say)}`);
    } catch (error) {
      if (!(error instanceof NotInstalled)) throw error;
      say(`${name} is missing: ${error.message}`);
      process.exitCode = 3;
    }
  }
}

async function up(): Promise<void> {
  const missing = await engines.up(names.length > 0 ? names.map(engineNamed) : ENGINE_NAMES);
  for (const [name, reason] of Object.entries(missing)) say(`${name} is missing: ${reason}`);
  if (names.length > 0 && Object.keys(missing).length > 0) process.exitCode = 3;
}

function statusOf(name: EngineName): string {
  const engine = engines.engine(name);
  return `${name} ${engine.isRunning ? 'runs' : 'stopped'} port=${engine.state?.port} log=${engine.log}`;
}

function pathOf(name: PackageName): string {
  const found = installedFolder(name);
  if (!found) throw new Error(`${name} is not installed: npm run engines -- install ${name}`);
  const program = resolve(found, name);
  return existsSync(program) ? program : found;
}

function engineNamed(name: string): EngineName {
  if (isEngineName(name)) return name;
  throw new Error(`no engine is called ${name}: ${ENGINE_NAMES.join(', ')}`);
}

function packageNamed(name: string): PackageName {
  if (name in PACKAGES) return name as PackageName;
  throw new Error(`nothing to install is called ${name}: ${Object.keys(PACKAGES).join(', ')}`);
}

async function main(): Promise<void> {
  const run = COMMANDS[command];
  if (!run) throw new Error(USAGE);
  await run();
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
