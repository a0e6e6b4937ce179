import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { doubledWait } from '@twinyard/conventions';
import type { PlatformLog } from './platform-log';

export interface ProcessSpec {
  readonly name: string;
  /** A JavaScript file that Node runs. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 when the process takes requests. */
  readonly readyUrl: string;
  /** How long it may take to stop; 10 s by default. */
  readonly killAfterMs?: number;
  /** For young objects; more means fewer collections. */
  readonly nurseryMb?: number;
}

const BACKOFF = { firstMs: 100, longestMs: 5_000 };
/** One that lived this long has recovered: the next death is a new story. */
const HEALTHY_AFTER_MS = 10_000;
const KILL_AFTER_MS = 10_000;
/** Filters travel in the query: as much as the gateway lets through. */
const HEADER_SIZE = '--max-http-header-size=1048576';
/** Processes that wait most of the time need no nursery of 16 MB each (docs/performance.md). */
const NURSERY_MB = 4;

/** A process that is started again when it dies, sooner the first time than the tenth. */
export class SupervisedProcess {
  /** Deaths in a row, without a healthy life between them. */
  deaths = 0;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private restart: NodeJS.Timeout | undefined;
  private stopping = false;

  constructor(readonly spec: ProcessSpec, private readonly log: PlatformLog) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    const began = Date.now();
    // A process group of its own: Ctrl-C reaches the runner alone, which then stops the others in order. Over the IPC channel a
    // process notices that the runner is gone, even killed.
    const child = spawn(process.execPath, [HEADER_SIZE, `--max-semi-space-size=${this.spec.nurseryMb ?? NURSERY_MB}`, this.spec.file], { env: this.spec.env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
    this.child = child;
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.log.line(this.spec.name, line));
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => this.log.line(this.spec.name, line, 'warn'));
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        resolve();
        this.onEnd(how, Date.now() - began);
      };
      child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
      child.once('error', (error) => (child.pid === undefined ? end(error.message) : undefined));
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.restart);
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    const kill = setTimeout(() => {
      this.log.warn('does not stop and is killed', { process: this.spec.name });
      this.child?.kill('SIGKILL');
    }, this.spec.killAfterMs ?? KILL_AFTER_MS);
    await this.ended;
    clearTimeout(kill);
  }

  /** At once, and for good. */
  kill(): void {
    this.stopping = true;
    clearTimeout(this.restart);
    this.child?.kill('SIGKILL');
  }

  private onEnd(how: string, livedMs: number): void {
    if (this.stopping) return;
    this.deaths = livedMs > HEALTHY_AFTER_MS ? 1 : this.deaths + 1;
    const backoffMs = doubledWait(BACKOFF, this.deaths - 1);
    this.log.error('died and is started again', { process: this.spec.name, how, backoffMs });
    this.restart = setTimeout(() => this.start(), backoffMs);
  }
}
