import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { eventually, freePort } from '@twinyard/testing';

export const ROOT = join(__dirname, '../../..');
const ADMIN = { email: 'admin@example.com', password: 'the-password-of-the-tests' };
/** Within what Jest gives a hook or a test. */
const [START_TIMEOUT_MS, SETTLE_TIMEOUT_MS] = [170_000, 170_000];

type Program = readonly [string, ...string[]];
const RUNNER: Program = [process.execPath, join(ROOT, 'dist/tools/platform/main.js')];
export const NPM_START: Program = ['npm', 'start', '--'];

/** The platform as `npm start` runs it: the compiled runner as a process, on a port and a folder of its own. */
export class RunningPlatform {
  readonly admin = ADMIN;
  private output = '';

  private constructor(
    readonly port: number,
    readonly dataDir: string,
    readonly environment: NodeJS.ProcessEnv,
    private readonly command: readonly [Program, readonly string[]],
    private child: ChildProcess,
  ) {
    this.listen();
  }

  /** `environment`: settings besides those of a test, such as REPLICAS. `program`: by which users start it, with the lines that npm prints; its processes cannot be killed one by one then. */
  static async start(environment: NodeJS.ProcessEnv = {}, args: readonly string[] = ['--no-demo', '--verbose'], program: Program = RUNNER): Promise<RunningPlatform> {
    const port = await freePort();
    const dataDir = mkdtempSync(join(tmpdir(), 'twinyard-platform-'));
    // The tenants of tests have identity providers at addresses of loopback.
    const whole = { UPSTREAM_ALLOW_PRIVATE: 'true', ...(environment['POSTGRES_URL'] === undefined && { POSTGRES_PORT: String(await freePort()) }), ...environment };
    const platform = new RunningPlatform(port, dataDir, whole, [program, args], startRunner([program, args], port, dataDir, whole));
    try {
      await platform.ready();
    } catch (error) {
      await platform.remove(); // nobody else knows it
      throw error;
    }
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
      if (this.child.exitCode !== null) return;
      const response = await fetch(`${this.baseUrl}/health/ready`);
      if (!response.ok) throw new Error(`not ready: ${await response.text()}\n${this.output.slice(-4_000)}`);
    }, { timeoutMs: START_TIMEOUT_MS, everyMs: 100 });
    if (this.child.exitCode !== null) throw new Error(`the runner ended:\n${this.output}`);
  }

  /** Ends a process of a service as a crash would. */
  kill(service: string, replica = 0): void {
    process.kill(this.replica(service, replica).pid, 'SIGKILL');
  }

  /** Ends the database server as a crash would. */
  killDatabase(): void {
    const file = join(this.dataDir, 'postgres', 'cluster', 'postmaster.pid');
    process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL');
  }

  processId(service: string): number {
    return this.replica(service, 0).pid;
  }

  /** Processes that a service has started, by a word of their commands. */
  childrenOf(service: string, word: string): number[] {
    const parents = new Set(this.replicas(service).map(({ pid }) => pid));
    return processes().filter(({ parent, command }) => parents.has(parent) && command.includes(word)).map(({ pid }) => pid);
  }

  /** The processes of a service that live, by their ports: a process that is started again takes the place of the one that died. */
  replicas(service: string): Replica[] {
    const own = processes().filter(({ parent, command }) => parent === this.child.pid && command.includes(`apps/${service}/src/main.js`));
    return own.map(({ pid }) => ({ pid, port: portOf(pid) })).filter(({ port }) => port > 0).sort((one, other) => one.port - other.port);
  }

  /** Address of one process, past gateway and balancer. */
  replicaUrl(service: string, replica: number): string {
    return `http://127.0.0.1:${this.replica(service, replica).port}`;
  }

  /** What a process says of itself at `/metrics`. */
  async metricsOf(service: string, replica: number): Promise<string> {
    return (await fetch(`${this.replicaUrl(service, replica)}/metrics`)).text();
  }

  /** Resolves once every service has published its events and handled those of all, and has given none up. */
  async settled(): Promise<void> {
    await eventually(async () => {
      const figures = await Promise.all(SERVICES.map(async (service) => {
        const metrics = await this.metricsOf(service, 0);
        return ['events_outbox_backlog', 'events_lag', 'events_dead_letters'].map((name) => ({ service, name, value: sumOf(metrics, name) }));
      }));
      const left = figures.flat().filter(({ value }) => value !== 0);
      if (left.length > 0) throw new Error(`not settled: ${JSON.stringify(left)}`);
    }, { timeoutMs: SETTLE_TIMEOUT_MS });
  }

  /** Address of a database of the platform. */
  databaseUrl(name: string): string {
    const { POSTGRES_URL: outside, POSTGRES_DATABASE_PREFIX: prefix = '', POSTGRES_PORT: port } = this.environment;
    const password = outside === undefined ? readFileSync(join(this.dataDir, 'postgres', 'password'), 'utf8').trim() : '';
    const url = new URL(outside ?? `postgresql://postgres:${password}@127.0.0.1:${port ?? ''}`);
    url.pathname = `/${prefix}${name}`;
    return url.href;
  }

  private replica(service: string, index: number): Replica {
    const found = this.replicas(service)[index];
    if (found === undefined) throw new Error(`${service} has no replica ${index} that runs`);
    return found;
  }

  /** Stops as Ctrl-C does; resolves with the runner's exit code. */
  stop(): Promise<number | null> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
    return new Promise((resolve) => {
      // Not `exit`: what it has said last may come after that.
      child.once('close', (code) => resolve(code));
      child.kill('SIGTERM');
    });
  }

  /** Ends everything at once, as a machine that loses power. */
  async crash(): Promise<void> {
    const ended = once(this.child, 'exit');
    const own = processes().filter(({ parent }) => parent === this.child.pid);
    this.child.kill('SIGKILL');
    this.killDatabase();
    for (const { pid } of own) process.kill(pid, 'SIGKILL');
    await ended;
  }

  async restart(): Promise<void> {
    this.child = startRunner(this.command, this.port, this.dataDir, this.environment);
    this.listen();
    await this.ready();
  }

  async remove(): Promise<void> {
    await this.stop();
    // What died by kill -9 may have children that are still going.
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }

  private listen(): void {
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-200_000)));
  }
}

export interface Replica {
  readonly pid: number;
  readonly port: number;
}

const startRunner = ([program, args]: readonly [Program, readonly string[]], port: number, dataDir: string, environment: NodeJS.ProcessEnv) =>
  spawn(program[0], [...program.slice(1), ...args], {
    cwd: ROOT,
    env: {
      ...environment,
      PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), DATA_DIR: dataDir, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** Of what a process says at `/metrics`: the sum of a figure over all its labels, or those that are wanted. */
export function sumOf(metrics: string, name: string, wanted: (labels: string) => boolean = () => true): number {
  const rows = [...metrics.matchAll(new RegExp(`^${name}(\\{.*\\})? (.+)$`, 'gm'))];
  return rows.filter(([, labels = '']) => wanted(labels)).reduce((sum, [, , value]) => sum + Number(value), 0);
}

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

/** PORT in the environment that it was started with; 0 for one that has just ended. */
const portOf = (pid: number): number => Number(/(?:^|\0)PORT=(\d+)/.exec(readable(`/proc/${pid}/environ`) ?? '')?.[1] ?? 0);

function readable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
