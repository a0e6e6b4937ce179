/** `npm run operate -- <service> <command> …`: see USAGE. In containers the compiled commands are run directly. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environmentsFile, type KeptEnvironments } from '../platform/kept-environments';
import { commandsOf, isService, USAGE } from './commands';

/** Compiled files lie beside this one. */
const dist = join(__dirname, '..', '..');

function main([service = '', command = '', ...args]: readonly string[]): number {
  const file = isService(service) ? commandsOf(service)[command] : undefined;
  if (file === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const environment = environmentOf(service, resolve(process.env.DATA_DIR || '.data'));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', join(dist, file), ...args], { stdio: 'inherit', env: { ...process.env, ...environment } });
  return status ?? 1;
}

function environmentOf(service: string, dataDir: string): Readonly<Record<string, string>> {
  const file = environmentsFile(dataDir);
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as KeptEnvironments)[service] ?? {};
  } catch (cause) {
    throw new Error(`${file} cannot be read: is the platform of this DATA_DIR running, and is it yours?`, { cause });
  }
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
