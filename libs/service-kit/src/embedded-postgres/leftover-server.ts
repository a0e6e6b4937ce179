import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../alive-process';

const STOP_WITHIN_MS = 60_000;

/**
 * A starter that was killed leaves its server behind, running or dead. A running one is shut down, so that the caller can start its own. Of a
 * dead one PostgreSQL takes care itself, unless its process id is still in the system's table: then it is told apart here.
 */
export async function stopLeftoverServer(clusterFiles: string): Promise<'none' | 'stopped'> {
  const lock = join(clusterFiles, 'postmaster.pid');
  const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8').split('\n')[0]) : 0;
  if (!(pid > 0)) return 'none';
  if (!isAlive(pid) || !isServerOf(clusterFiles, pid)) {
    takeOver(lock);
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

/**
 * PostgreSQL asks for the process id alone, which somebody else may have by now, or a dead process that nobody collects. That of its own parent
 * it takes for a stale one, and still looks at the rest of the file: whether processes of the dead server use its memory.
 */
function takeOver(lock: string): void {
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(/^\d+/, String(process.pid)));
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
