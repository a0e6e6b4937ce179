import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const UP_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 200;
const LAST_CHARACTERS = 3_000;

export interface ProgramStart {
  readonly logFile: string;
  readonly isUp: () => boolean | Promise<boolean>;
  /** By which its faults are told; else that of the file. */
  readonly name?: string;
}

/** A program that runs beside the test, and what it says in a file. Debian keeps some where only root looks for them. */
export class LoggedProgram {
  private constructor(private readonly child: ChildProcess, private readonly name: string, private readonly logFile: string) {}

  /** Resolves when it is up. */
  static async start(file: string, args: readonly string[], { logFile, isUp, name = basename(file) }: ProgramStart): Promise<LoggedProgram> {
    const log = openSync(logFile, 'w');
    try {
      const child = spawn(file, args, { stdio: ['ignore', log, log], env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` } });
      const program = new LoggedProgram(child, name, logFile);
      await program.until(isUp);
      return program;
    } finally {
      closeSync(log);
    }
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await closed;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async until(isUp: ProgramStart['isUp']): Promise<void> {
    const deadline = Date.now() + UP_WITHIN_MS;
    while (!(await isUp())) {
      if (this.hasEnded) throw new Error(`${this.name} ended with ${this.child.signalCode ?? this.child.exitCode}:\n${this.lastWords()}`);
      if (Date.now() > deadline) throw new Error(`${this.name} is not up after ${UP_WITHIN_MS / 1_000} s:\n${this.lastWords()}`);
      await delay(ASK_EVERY_MS);
    }
  }

  private lastWords(): string {
    return readFileSync(this.logFile, 'utf8').slice(-LAST_CHARACTERS);
  }
}
