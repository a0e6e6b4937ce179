import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@twinyard/service-kit/process';
import { type EngineState, engineFolder, homeOf, newSecret, readState, writeState } from './engine-state';
import { ENGINES } from './engines/catalogue';
import type { Command, EngineName } from './engines/engine';
import { identityOf, isRunning } from './process-identity';

/** A JVM that starts in three seconds by itself has taken a minute beside others on a busy machine. */
const HEALTHY_WITHIN_MS = 300_000;
const STOPPED_WITHIN_MS = 20_000;
const ASK_EVERY_MS = 50;
/** Between finding a free port and listening on it somebody else may have taken it. */
const PORT_ATTEMPTS = 3;
const LAST_LINES = 30;
/** What an engine does not recover from, in the words of JVMs, H2 and Go. */
const FATAL = /OutOfMemoryError|MVStoreException|hs_err_pid|^fatal error:|^panic:/;

/** One engine in its folder; every command of a human or a test is one of these. */
export class RunningEngine {
  private readonly folder: string;
  private readonly engine;

  constructor(readonly name: EngineName, allEngines: string) {
    this.engine = ENGINES[name];
    this.folder = engineFolder(allEngines, name);
  }

  get state(): EngineState | undefined {
    return readState(this.folder);
  }

  get isRunning(): boolean {
    return isRunning(this.state?.identity ?? '');
  }

  get log(): string {
    return join(this.folder, 'log.txt');
  }

  /** The lines of its log that tell why whoever asked it got no answers, each once. */
  fatalLines(): string[] {
    return existsSync(this.log) ? [...new Set(readFileSync(this.log, 'utf8').split('\n').filter((line) => FATAL.test(line)))].slice(0, LAST_LINES) : [];
  }

  settings(): Record<string, string> {
    const { state } = this;
    return state ? this.engine.settings(homeOf(this.folder, state)) : {};
  }

  /** Starts it unless it runs. The port of an earlier start is kept when it can be; a restart keeps it or fails. */
  async start(installed: string, options: { readonly samePort: boolean }): Promise<void> {
    if (this.isRunning) return;
    const before = this.state ?? { secret: newSecret() };
    for (let attempt = 1; ; attempt++) {
      const state = await nextState(before, options.samePort || attempt === 1);
      writeState(this.folder, state);
      try {
        return await this.launch(installed, state);
      } catch (error) {
        if (attempt === PORT_ATTEMPTS || !(error instanceof EndedEarly)) throw error;
      }
    }
  }

  /** `kill -9`, and waits until it is gone. */
  async kill(): Promise<void> {
    const { state } = this;
    if (!state?.identity || !isRunning(state.identity)) return;
    const pid = this.engine.serverPid?.(homeOf(this.folder, state)) ?? pidOf(state.identity);
    signal(pid, 'SIGKILL');
    await this.untilGone(state.identity);
  }

  async stop(): Promise<void> {
    const { identity } = this.state ?? {};
    if (!identity || !isRunning(identity)) return;
    signal(pidOf(identity), 'SIGTERM');
    await this.untilGone(identity);
  }

  private async launch(installed: string, state: EngineState): Promise<void> {
    const pid = this.spawn(await this.engine.command(homeOf(this.folder, state), installed));
    const identity = identityOf(pid);
    writeState(this.folder, { ...state, identity });
    const deadline = Date.now() + HEALTHY_WITHIN_MS;
    while (!(await this.engine.isHealthy(homeOf(this.folder, state)))) {
      if (!isRunning(identity)) throw new EndedEarly(`${this.name} ended while it started:\n${this.lastLines()}`);
      if (Date.now() > deadline) {
        signal(pid, 'SIGKILL');
        throw new Error(`${this.name} is not healthy after ${HEALTHY_WITHIN_MS / 1_000} s:\n${this.lastLines()}`);
      }
      await delay(ASK_EVERY_MS);
    }
  }

  /** In a process group and with a log file of its own, so that it outlives who started it. */
  private spawn({ program, args, env }: Command): number {
    const log = openSync(this.log, 'a');
    try {
      const child = spawn(program, args, { cwd: this.folder, detached: true, stdio: ['ignore', log, log], env: { ...process.env, ...env } });
      child.on('error', () => undefined); // it has no process id then, and is found ended
      child.unref();
      return child.pid ?? 0;
    } finally {
      closeSync(log);
    }
  }

  private async untilGone(identity: string): Promise<void> {
    const deadline = Date.now() + STOPPED_WITHIN_MS;
    while (isRunning(identity)) {
      if (Date.now() > deadline) signal(pidOf(identity), 'SIGKILL');
      await delay(ASK_EVERY_MS);
    }
  }

  private lastLines(): string {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n') : '(it has said nothing)';
  }
}

async function nextState({ port, secret }: { readonly port?: number; readonly secret: string }, keepsPort: boolean): Promise<EngineState> {
  return { port: (keepsPort ? port : undefined) ?? (await freePort()), secret };
}

class EndedEarly extends Error {}

const pidOf = (identity: string) => Number(identity.split(' ')[0]);

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended by itself in the meantime
  }
}
