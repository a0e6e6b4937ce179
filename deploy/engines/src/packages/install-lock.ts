import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from '../process-identity';

const ASK_EVERY_MS = 500;

/**
 * One installs, the others wait for it. The lock saves them the work, no more: an installation is moved to its place whole,
 * so two at once harm nothing. That of a process that is gone is taken away.
 */
export async function withInstallLock(lock: string, say: (line: string) => void, work: () => void): Promise<void> {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, identityOf(process.pid));
  try {
    for (let waits = 0; !take(lock, mine); waits++) {
      if (waits === 0) say(`waiting for another installation (${lock})`);
      await delay(ASK_EVERY_MS);
    }
    try {
      work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** A hard link is made whole or not at all, so a lock is never seen half-written. */
function take(lock: string, mine: string): boolean {
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = readHolder(lock);
  if (holder !== undefined && identityOf(Number(holder.split(' ')[0])) !== holder) rmSync(lock, { force: true });
  return false;
}

function readHolder(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return undefined; // given back in the meantime
  }
}
