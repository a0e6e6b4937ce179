import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import type { Command } from './account';

/** What the PostgreSQL programs see of the environment: nothing of ours, and one language and time zone everywhere. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

export function spawnCommand(command: Command, stdio: StdioOptions, detached: boolean): ChildProcess {
  const { program, args, uid, gid } = command;
  const user = uid !== undefined && gid !== undefined ? { uid, gid } : {};
  return spawn(program, [...args], { ...user, stdio, detached, cwd: '/', env: ENVIRONMENT });
}

/** Runs to the end. Throws with what the program said when it fails. */
export function runCommand(command: Command, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawnCommand(command, ['ignore', 'pipe', 'pipe'], true);
    let said = '';
    const note = (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000));
    child.stdout?.on('data', note);
    child.stderr?.on('data', note);
    child.once('error', (cause) => reject(new Error(`${name} cannot be started: ${cause.message}`, { cause })));
    child.once('close', (code, signal) => (code === 0 ? resolve() : reject(new Error(`${name} failed (${signal ?? code}): ${said.trim()}`))));
  });
}
