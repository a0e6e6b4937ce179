import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@twinyard/service-kit/process';
import { clockOf, processIdOf, type ProcessorClock } from './process-usage';

const dist = join(__dirname, '..', '..');
/** What `npm start` runs: it builds what has changed. */
export const NPM_START = join(dist, '..', 'tools', 'start.mjs');
const RUNNER = join(dist, 'tools', 'platform', 'main.js');
/** How the summary begins (tools/platform/summary.ts). */
const READY = /^Twinyard is ready\b/;
const LAST_LINES = 30;

interface Ports {
  readonly gateway: number;
  readonly postgres: number;
}

/** The real platform as `npm start` runs it, on ports and a folder of its own, without its first tour. */
export class BenchPlatform {
  private static readonly made = new Set<BenchPlatform>();
  readonly adminPassword = randomBytes(12).toString('base64url');
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'twinyard-bench-'));
  private readonly servicePorts = new Map<string, string>();
  private readonly last: string[] = [];
  private child: ChildProcess | undefined;

  private constructor(private readonly ports: Ports, private readonly environment: NodeJS.ProcessEnv, private readonly program: string) {}

  /** `environment`: settings of its own, such as those of engines. */
  static async create(environment: NodeJS.ProcessEnv = {}, program = RUNNER): Promise<BenchPlatform> {
    const platform = new BenchPlatform({ gateway: await freePort(), postgres: await freePort() }, environment, program);
    BenchPlatform.made.add(platform);
    return platform;
  }

  /** For the end of the benchmark, whenever that is. */
  static async removeAll(): Promise<void> {
    await Promise.all([...BenchPlatform.made].map((platform) => platform.remove()));
  }

  /** Whether its data lies in the database that it has started itself. */
  get isOneMachine(): boolean {
    return this.environment['POSTGRES_URL'] === undefined;
  }

  get baseUrl(): string {
    return `http://localhost:${this.ports.gateway}`;
  }

  /** Those that have said where they listen. */
  get services(): readonly string[] {
    return [...this.servicePorts.keys()];
  }

  /** A service's own address, as its neighbours use it. */
  serviceUrl(service: string): string {
    return `http://127.0.0.1:${this.servicePorts.get(service) ?? ''}`;
  }

  databaseUrl(database: string): string {
    const password = readFileSync(join(this.dataDir, 'postgres', 'password'), 'utf8').trim();
    return `postgresql://postgres:${password}@127.0.0.1:${this.ports.postgres}/${database}`;
  }

  /** What services tell each other apart from callers by. */
  get serviceToken(): string {
    return readFileSync(join(this.dataDir, 'secrets', 'service-token'), 'utf8').trim();
  }

  get processId(): number {
    return this.child?.pid ?? 0;
  }

  /** Of a service, of which there is one process. */
  processorClock(service: string): ProcessorClock {
    return clockOf(this.processId, `/apps/${service}/`);
  }

  processIdOf(service: string): number {
    return processIdOf(this.processId, `/apps/${service}/`);
  }

  /** Where the bytes of files are, when that is not a folder. */
  get s3(): { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string } {
    const { S3_ENDPOINT: endpoint = '', S3_ACCESS_KEY: accessKey = '', S3_SECRET_KEY: secretKey = '' } = this.environment;
    return { endpoint, accessKey, secretKey };
  }

  /** Resolves, with the milliseconds it took, when every service takes requests. */
  async start(): Promise<number> {
    const began = performance.now();
    const child = spawn(process.execPath, [this.program, '--no-demo', '--verbose'], {
      env: {
        ...process.env, PORT: String(this.ports.gateway), ...(this.isOneMachine && { POSTGRES_PORT: String(this.ports.postgres) }), DATA_DIR: this.dataDir,
        ADMIN_PASSWORD: this.adminPassword, RATE_LIMIT_PER_MINUTE: '10000000', SIGN_UPS_PER_MINUTE: '10000', // the load comes from one caller
        ...this.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => this.keep(line));
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`The platform did not start:\n${this.last.join('\n')}`)));
      if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => {
        this.keep(line);
        if (READY.test(line.trim())) resolve();
      });
    });
    return performance.now() - began;
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
    BenchPlatform.made.delete(this);
  }

  /** Runs a program of `tools/tour` against the platform. Resolves with what it printed. */
  async runTour(program: 'main' | 'make-project', args: readonly string[] = []): Promise<string> {
    const child = spawn(process.execPath, [join(dist, 'tools', 'tour', `${program}.js`), ...args], {
      env: { ...process.env, TOUR_BASE_URL: this.baseUrl, TOUR_ADMIN_EMAIL: 'admin@example.com', TOUR_ADMIN_PASSWORD: this.adminPassword, TOUR_MAIL_DIR: join(this.dataDir, 'mail') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    let complained = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()));
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`tools/tour/${program} failed:\n${printed}${complained}`);
    return printed;
  }

  private keep(line: string): void {
    const listening = /^\S+ (\w+) +info +listening port=(\d+)/.exec(line);
    // The gateway says so too, and has no events.
    if (listening && listening[1] !== 'gateway') this.servicePorts.set(listening[1] ?? '', listening[2] ?? '');
    this.last.push(line);
    if (this.last.length > LAST_LINES) this.last.shift();
  }
}
