import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export interface PortHolder {
  readonly name: string;
  readonly pid: number;
}

/** State of a socket that listens, in /proc/net/tcp (proc(5)). */
const LISTENS = '0A';

/** `lsof` comes with macOS. It looks at other file systems too, of which one may not answer. */
const LSOF_MS = 5_000;

/** Who listens on the port: the first of those who share it. `undefined` where the system does not say, as of processes of other users. */
export const holderOf = (port: number): PortHolder | undefined => (existsSync('/proc/net/tcp') ? holderByTables(port) : holderByLsof(port));

function holderByTables(port: number): PortHolder | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listening(textOf(`/proc/net/${table}`), port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name)).map(Number).sort((one, other) => one - other);
  const pid = pids.find((candidate) => linksIn(`/proc/${candidate}/fd`).some((link) => sockets.has(link)));
  return pid === undefined ? undefined : { name: nameOf(pid), pid };
}

export function holderByLsof(port: number): PortHolder | undefined {
  const { stdout } = spawnSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { encoding: 'utf8', timeout: LSOF_MS, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'ignore'] });
  return holderIn(stdout ?? '');
}

/** From fields on a line each, which begin with a letter for what they are (lsof(8), "OUTPUT FOR OTHER PROGRAMS"): `p4711`, `cnode`. */
export function holderIn(fields: string): PortHolder | undefined {
  const [, pid, command = ''] = /^p(\d+)\nc(.*)$/m.exec(fields) ?? [];
  return pid === undefined ? undefined : { name: /^[^\s:]+/.exec(command)?.[0] ?? 'a program', pid: Number(pid) };
}

/** Inodes of the sockets that listen on the port: the tenth column of rows whose second ends in the port. */
function listening(table: string, port: number): string[] {
  const rows = table.split('\n').slice(1).map((row) => row.trim().split(/\s+/));
  return rows.filter(([, local = '', , state]) => state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port).flatMap((row) => row[9] ?? []);
}

/** As it calls itself, without what it was given: that may be secret. */
function nameOf(pid: number): string {
  const [title = ''] = textOf(`/proc/${pid}/cmdline`).split(/[\0 ]/);
  return basename(title).replace(/:$/, '') || 'a program';
}

const linksIn = (folder: string) => namesIn(folder).map((name) => orNothing(() => readlinkSync(`${folder}/${name}`), ''));
const namesIn = (folder: string) => orNothing(() => readdirSync(folder), []);
const textOf = (file: string) => orNothing(() => readFileSync(file, 'utf8'), '');

/** Processes end while they are looked at, and those of others are closed. */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read();
  } catch {
    return nothing;
  }
}
