import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@twinyard/service-kit/process';
import { eventually, type FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';

const MAIN = join(__dirname, '..', '..', '..', 'dist', 'apps', 'itemsvc', 'src', 'main.js');

/** Its environment: the databases of a test, and what else it needs. */
export function itemEnvironment(passport: FakePassport, [own, events]: readonly [TestDatabase, TestDatabase], more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const known = { ...testSettings(passport, own, events), KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'), LOG_LEVEL: 'error', ...more };
  return Object.fromEntries(Object.entries(known).map(([name, value]) => [name, String(value)]));
}

/** The service as it is delivered: a process of its own. */
export class ItemProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {}

  static async start(settings: Readonly<Record<string, string>>): Promise<ItemProcess> {
    const port = await freePort();
    const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env.PATH, ...settings, HOST: '127.0.0.1', PORT: String(port) }, stdio: ['ignore', 'inherit', 'inherit'] });
    const started = new ItemProcess(child, `http://127.0.0.1:${port}`);
    try {
      await eventually(async () => {
        if (!(await fetch(`${started.origin}/health/ready`)).ok) throw new Error('not ready');
      }, { timeoutMs: 170_000 });
    } catch (error) {
      await started.kill();
      throw error;
    }
    return started;
  }

  /** What it holds of memory, in bytes. */
  residentBytes(): number {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1]) * 1_024;
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const closed = once(this.child, 'close');
    this.child.kill(signal);
    await closed;
  }
}
