import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Who runs the server: PostgreSQL refuses to run as root. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

const NOBODY: ServerAccount = { uid: 65534, gid: 65534 };
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

/** Whether the server gets to its files below a folder that is closed to others: as the current user, or by `commandAs`. */
export const canPassClosedFolders = (): boolean => process.getuid?.() !== 0 || SETPRIV.some((path) => existsSync(path));

/** `undefined`: the current user runs the server itself. */
export function chooseAccount(uid = process.getuid?.()): ServerAccount | undefined {
  return uid === 0 ? (accountNamed('postgres') ?? NOBODY) : undefined;
}

function accountNamed(name: string): ServerAccount | undefined {
  if (!existsSync('/etc/passwd')) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return Number(uid) > 0 && Number(gid) > 0 ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/**
 * The command as the account runs it. When a folder on the way to one of `paths` is closed to the account (a clone below /root or a
 * `mktemp -d`), the command keeps the one capability that lets it pass, nothing else of root.
 */
export function commandAs(account: ServerAccount | undefined, program: string, args: readonly string[], paths: readonly string[], setprivs = SETPRIV): Command {
  if (!account) return { program, args };
  const closed = paths.map((path) => firstClosedFolder(path, account)).find((folder) => folder !== undefined);
  if (closed === undefined) return { program, args, ...account };
  const setpriv = setprivs.find((path) => existsSync(path));
  if (!setpriv) throw new Error(closedFolderMessage(closed, account));
  const { uid, gid } = account;
  // `no_setuid_fixup`: else access(2), by which PostgreSQL looks at its own program, would leave the capability out of account.
  const pass = ['--securebits=+no_setuid_fixup', '--inh-caps=-all,+dac_override', '--ambient-caps=+dac_override', '--bounding-set=-all,+dac_override'];
  return { program: setpriv, args: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...pass, '--', program, ...args] };
}

function closedFolderMessage(folder: string, account: ServerAccount): string {
  return `PostgreSQL does not run as root, and the user it runs as instead (uid ${account.uid}) cannot enter ${folder}. `
    + 'Start as a normal user, install util-linux (setpriv), or put the clone and DATA_DIR into a folder that others may enter.';
}

/** The outermost folder above (or at) `path` that the account may not enter. */
export function firstClosedFolder(path: string, account: ServerAccount): string | undefined {
  return ancestors(realpathSync(path)).find((folder) => !mayEnter(folder, account));
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...ancestors(parent), path];
}

function mayEnter(folder: string, { uid, gid }: ServerAccount): boolean {
  const stats = statSync(folder);
  if (stats.uid === uid) return (stats.mode & 0o100) !== 0;
  if (stats.gid === gid) return (stats.mode & 0o010) !== 0;
  return (stats.mode & 0o001) !== 0;
}
