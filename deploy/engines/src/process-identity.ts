import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process id and when that process began: ids are given again, in a container even at every start. */
export function identityOf(pid: number): string {
  return `${pid} ${beganAt(pid) ?? 'ended'}`;
}

/** Is this the very process, and does it still run? */
export function isRunning(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  return beganAt(pid) !== undefined && identityOf(pid) === identity;
}

function beganAt(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) return beganByProc(pid);
  const said = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } }).stdout?.trim() ?? '';
  return said === '' || said.startsWith('Z') ? undefined : said.replace(/^\S+\s+/, '');
}

/** The fields after the name: state is the first, the start in ticks after boot the twentieth. One that nobody has collected yet has ended. */
function beganByProc(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
    return fields[0] === 'Z' ? undefined : `${fields[19]} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return undefined;
  }
}
