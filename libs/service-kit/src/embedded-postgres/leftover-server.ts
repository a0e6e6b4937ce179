import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const STOP_WITHIN_MS = 60_000;

/**
 * A starter that was killed leaves its server behind, running or dead. A running one is shut down, so that the caller can
 * start its own; of a dead one PostgreSQL takes care itself, except that its process id may belong to somebody else by now.
 */
export async function stopLeftoverServer(clusterFiles: string): Promise<'none' | 'stopped'> {
  const lock = join(clusterFiles, 'postmaster.pid');
  const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : 0;
  if (!(pid > 0) || !isAlive(pid)) return 'none';
  if (!isServerOf(clusterFiles, pid)) {
    rmSync(lock, { force: true });
    return 'none';
  }
  process.kill(pid, 'SIGINT'); // fast shutdown: clients are sent away, everything is written
  const deadline = Date.now() + STOP_WITHIN_MS;
  while (isAlive(pid)) {
    if (Date.now() > deadline) throw new Error(`A PostgreSQL server (process ${pid}) still uses ${clusterFiles} and does not stop.`);
    await delay(50);
  }
  return 'stopped';
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** In a container whose first process does not collect the dead, a stopped server stays in the table. */
function isZombie(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && / Z /.test(readFileSync(file, 'utf8').replace(/^.*\)/s, ''));
}

/** Process ids are given again, so the name of the program is not enough: it must be the server of these very files. */
function isServerOf(clusterFiles: string, pid: number): boolean {
  return commandLine(pid).includes(`postgres -D ${clusterFiles} `);
}

function commandLine(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  if (existsSync(file)) return readFileSync(file, 'utf8').replaceAll('\0', ' ');
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
}
