import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canPassClosedFolders, isAlive } from '@twinyard/service-kit/process';

/** Two platforms on one DATA_DIR would fight over its database. Returns what gives the lock back. */
export function lockDataFolder(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (canPassClosedFolders()) chmodSync(dataDir, 0o700); // one that was made before, or by somebody else's hand
  const lock = join(dataDir, 'platform.lock');
  const mine = `${lock}.${process.pid}`;
  const identity = identityOf(process.pid);
  writeFileSync(mine, identity);
  try {
    takeLock(lock, mine, dataDir);
  } finally {
    rmSync(mine, { force: true });
  }
  return () => {
    if (existsSync(lock) && readFileSync(lock, 'utf8') === identity) rmSync(lock);
  };
}

/** A hard link is made whole or not at all, so a lock is never seen half-written. */
function takeLock(lock: string, mine: string, dataDir: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      linkSync(mine, lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = readFileSync(lock, 'utf8');
    const pid = Number(holder.split(' ')[0]);
    if (identityOf(pid) === holder) break;
    rmSync(lock, { force: true }); // its holder was killed
  }
  const pid = existsSync(lock) ? readFileSync(lock, 'utf8').split(' ')[0] : 'unknown';
  throw new Error(`A platform runs already with the data in ${dataDir} (process ${pid}). Stop it, or set DATA_DIR to another folder.`);
}

/** The process id and when the process began: ids are given again, in a container even at every start. One that was killed has ended, also while nobody collects it. */
function identityOf(pid: number): string {
  if (!isAlive(pid)) return `${pid} ended`;
  if (existsSync('/proc/self/stat')) {
    const began = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').split(' ')[20];
    return `${pid} ${began} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  }
  const said = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } });
  return `${pid} ${said.stdout?.trim() || 'ended'}`;
}
