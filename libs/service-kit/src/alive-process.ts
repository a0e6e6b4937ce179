import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Whether a process still runs. One that was killed does not, also where its parent never collects it, as in many a container. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/** proc(5) and ps(1): the state is Z for a zombie, and X for one that is gone in a moment. */
const isZombie = (pid: number): boolean => /^[ZX]/.test(stateOf(pid));

function stateOf(pid: number): string {
  if (!existsSync('/proc/self/stat')) return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
  } catch {
    return 'X'; // it has been collected since
  }
}
