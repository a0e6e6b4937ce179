import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { socketIn } from './docker';
import { LoggedProgram } from './logged-program';

/** So long another run of this machine may have the daemon. */
const FREE_WITHIN_MS = 20 * 60_000;
const ASK_EVERY_MS = 200;

/**
 * A Docker daemon of our own, with its images, containers and networks in `folder`: nothing of another daemon is seen or touched, so images may have the names
 * of official ones. One at a time; it ends with the process that started it, and its containers end with it.
 */
export class Daemon {
  private constructor(private readonly program: LoggedProgram) {}

  static async start(folder: string): Promise<Daemon> {
    const runs = join(folder, 'run');
    mkdirSync(runs, { recursive: true });
    const pidFile = join(runs, 'docker.pid');
    await untilFree(pidFile);
    rmSync(socketIn(folder), { force: true });
    const args = [
      '--pdeathsig', 'TERM', 'dockerd',
      '--host', `unix://${socketIn(folder)}`, '--data-root', join(folder, 'data'), '--exec-root', join(runs, 'exec'), '--pidfile', pidFile,
      '--exec-opt', 'native.cgroupdriver=cgroupfs', '--bridge', 'none', '--default-address-pool', 'base=10.213.0.0/16,size=24', '--log-level', 'warn',
    ];
    return new Daemon(await LoggedProgram.start('setpriv', args, { name: 'dockerd', logFile: join(runs, 'dockerd.log'), isUp: () => existsSync(socketIn(folder)) }));
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}

async function untilFree(pidFile: string): Promise<void> {
  const deadline = Date.now() + FREE_WITHIN_MS;
  while (isDaemon(pidFile)) {
    if (Date.now() > deadline) throw new Error(`another run has the daemon of ${pidFile}`);
    await delay(ASK_EVERY_MS);
  }
}

/** A pid file outlives a daemon that was killed, and its number may be somebody else's by now. */
function isDaemon(pidFile: string): boolean {
  if (!existsSync(pidFile)) return false;
  const command = `/proc/${readFileSync(pidFile, 'utf8').trim()}/cmdline`;
  return existsSync(command) && readFileSync(command, 'utf8').includes('dockerd');
}
