import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

export interface PortHolder {
  readonly name: string;
  readonly pid: number;
}

/** State of a socket that listens, in /proc/net/tcp (proc(5)). */
const LISTENS = '0A';

/** Who listens on the port: the first of those who share it. `undefined` where the system does not say: it is not Linux, or the process is another user's. */
export function holderOf(port: number): PortHolder | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listening(textOf(`/proc/net/${table}`), port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name)).map(Number).sort((one, other) => one - other);
  const pid = pids.find((candidate) => linksIn(`/proc/${candidate}/fd`).some((link) => sockets.has(link)));
  return pid === undefined ? undefined : { name: nameOf(pid), pid };
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
