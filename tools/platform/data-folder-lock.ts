import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canPassClosedFolders, isAlive } from '@twinyard/service-kit/process';

const lockOf = (dataDir: string) => join(dataDir, 'platform.lock');

/** Throws when a platform runs on the folder. Only looks: what else the start asks for may still be refused, and the folder be left as it is. */
export function requireUnlocked(dataDir: string): void {
  const holder = holderOf(lockOf(dataDir));
  if (holder !== undefined && isHeld(holder)) throw runsAlready(dataDir, pidOf(holder));
}

/** Two platforms on one DATA_DIR would fight over its database. Returns what gives the lock back. */
export function lockDataFolder(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (canPassClosedFolders()) chmodSync(dataDir, 0o700); // one that was made before, or by somebody else's hand
  const lock = lockOf(dataDir);
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
    if (isHeld(readFileSync(lock, 'utf8'))) break;
    rmSync(lock, { force: true }); // its holder was killed
  }
  throw runsAlready(dataDir, pidOf(holderOf(lock) ?? 'unknown'));
}

const holderOf = (lock: string) => (existsSync(lock) ? readFileSync(lock, 'utf8') : undefined);
const pidOf = (holder: string) => holder.split(' ')[0] ?? '';
const isHeld = (holder: string) => identityOf(Number(pidOf(holder))) === holder;
const runsAlready = (dataDir: string, pid: string) => new Error(`A platform runs already with the data in ${dataDir} (process ${pid}). Stop it, or set DATA_DIR to another folder.`);

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
