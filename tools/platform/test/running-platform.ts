import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@twinyard/testing';

export const ROOT = join(__dirname, '../../..');
const ADMIN = { email: 'admin@example.com', password: 'the-password-of-the-tests' };
const START_TIMEOUT_MS = 120_000;

/** The platform as `npm start` runs it: the compiled runner as a process, on a port and a folder of its own. */
export class RunningPlatform {
  readonly admin = ADMIN;
  private output = '';

  private constructor(
    readonly port: number,
    readonly dataDir: string,
    private child: ChildProcess,
  ) {
    this.listen();
  }

  static async start(): Promise<RunningPlatform> {
    const port = await freePort();
    const dataDir = mkdtempSync(join(tmpdir(), 'twinyard-platform-'));
    const platform = new RunningPlatform(port, dataDir, startRunner(port, dataDir));
    await platform.ready();
    return platform;
  }

  get baseUrl(): string {
    return `http://localhost:${this.port}`;
  }

  get mailDir(): string {
    return join(this.dataDir, 'mail');
  }

  /** What the runner has printed so far. */
  get log(): string {
    return this.output;
  }

  async ready(): Promise<void> {
    await eventually(async () => {
      if (this.child.exitCode !== null) throw new Error(`the runner ended:\n${this.output}`);
      const response = await fetch(`${this.baseUrl}/health/ready`);
      if (!response.ok) throw new Error(`not ready: ${await response.text()}\n${this.output.slice(-4_000)}`);
    }, { timeoutMs: START_TIMEOUT_MS, everyMs: 100 });
  }

  /** Ends the process of a service as a crash would. */
  kill(service: string): void {
    process.kill(this.processId(service), 'SIGKILL');
  }

  /** Ends the database server as a crash would. */
  killDatabase(): void {
    const folder = join(this.dataDir, 'postgres');
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('postmaster.pid'));
    process.kill(Number(readFileSync(join(folder, String(file)), 'utf8').split('\n')[0]), 'SIGKILL');
  }

  processId(service: string): number {
    const pid = processes().find(({ parent, command }) => parent === this.child.pid && command.includes(`apps/${service}/src/main.js`))?.pid;
    if (pid === undefined) throw new Error(`${service} does not run`);
    return pid;
  }

  /** Stops as Ctrl-C does; resolves with the runner's exit code. */
  stop(): Promise<number | null> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => {
      child.once('exit', (code) => resolve(code));
      child.kill('SIGTERM');
    });
  }

  async restart(): Promise<void> {
    this.child = startRunner(this.port, this.dataDir);
    this.listen();
    await this.ready();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private listen(): void {
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-200_000)));
  }
}

const startRunner = (port: number, dataDir: string) =>
  spawn(process.execPath, [join(ROOT, 'dist/tools/platform/main.js'), '--no-demo'], {
    env: {
      PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), DATA_DIR: dataDir, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Whether this system tells about processes the way that the drills need. */
export const HAS_PROC = readable('/proc/self/stat') !== undefined;

function processes(): ProcessInfo[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const stat = readable(`/proc/${name}/stat`);
    const command = readable(`/proc/${name}/cmdline`);
    if (stat === undefined || command === undefined) return [];
    return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), command }];
  });
}

function readable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
