import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandAs, type ServerAccount } from './account';
import type { PostgresBinaries } from './binaries';
import { runCommand } from './command';

/** The files of one server below its folder. */
export interface Cluster {
  readonly folder: string;
  readonly files: string;
  readonly password: string;
}

interface ClusterOptions {
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  readonly durable: boolean;
}

const UNFINISHED = 'initializing-';

/** Texts in the order of their code points, as by `C`, and with the letters of all scripts in upper and lower case. Inside of the server, so that no system needs it. */
const UNICODE_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Opens the server's files, makes them the first time. An interrupted making is thrown away and done again. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { account } = options;
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const folder = realpathSync(options.folder);
  own(folder, account);
  const files = join(folder, 'cluster');
  const passwordFile = join(folder, 'password');
  if (!existsSync(files)) await makeCluster({ ...options, folder }, files, passwordFile);
  return { folder, files, password: readPassword(passwordFile) };
}

async function makeCluster(options: ClusterOptions, files: string, passwordFile: string): Promise<void> {
  const { folder, account, binaries } = options;
  for (const entry of readdirSync(folder).filter((name) => name.startsWith(UNFINISHED))) rmSync(join(folder, entry), { recursive: true });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  own(passwordFile, account);
  const unfinished = join(folder, `${UNFINISHED}${randomBytes(4).toString('hex')}`);
  const args = ['-D', unfinished, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', ...UNICODE_LOCALE, '--no-instructions'];
  const command = commandAs(account, binaries.initdb, options.durable ? args : [...args, '--no-sync'], [folder, binaries.home]);
  await runCommand(command, 'initdb');
  renameSync(unfinished, files); // only a finished cluster ever has this name
}

function own(path: string, account: ServerAccount | undefined): void {
  if (account) chownSync(path, account.uid, account.gid);
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`The password of the database cannot be read from ${file}. Put the file back, or start with an empty DATA_DIR.`, { cause });
  }
}
