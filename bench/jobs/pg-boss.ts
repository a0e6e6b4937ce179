import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { installed, lastWords, versionOf } from '../engines/installed';

/** It is no part of the build: this file runs from dist/bench/jobs. */
const SCRIPT = join(__dirname, '..', '..', '..', 'bench', 'jobs', 'pg-boss-jobs.mjs');
const LONGEST_MS = 300_000;

/** So many workers of one process that take so many jobs at a time. */
export interface Shape {
  readonly workers: number;
  readonly batch: number;
}

interface Answer<T> {
  /** That it ran on. */
  readonly node: string;
  readonly measured: T;
}

/** pg-boss, the same work in a process of its own on the Node that it wants. Installed on demand into the cache of the engines, never a dependency. */
export class PgBoss {
  private ranOn = 'a Node of its own';

  private constructor(private readonly folder: string, private readonly url: string) {}

  /** Or why it cannot be had. */
  static install(url: string): PgBoss | string {
    const found = installed('pg-boss');
    return 'missing' in found ? found.missing : new PgBoss(found.folder, url);
  }

  /** What it is, once it has run. */
  get name(): string {
    return `pg-boss ${versionOf(this.folder, 'pg-boss')} (${this.ranOn})`;
  }

  /** In ms. `listens`: it is woken by notices, and polls else. */
  latencies(count: number, listens: boolean): Promise<number[]> {
    return this.run({ what: 'latencies', count, listens });
  }

  /** Jobs a second. */
  throughput(count: number, shape: Shape): Promise<number> {
    return this.run({ what: 'throughput', count, ...shape });
  }

  private async run<T>(work: object): Promise<T> {
    const node = join(this.folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
    const child = spawn(node, [SCRIPT, JSON.stringify(work)], { env: { ...process.env, DATABASE_URL: this.url, PG_BOSS: this.folder }, stdio: ['ignore', 'pipe', 'pipe'] });
    const { stdout, stderr, code } = await endOf(child);
    if (code !== 0) throw new Error(lastWords(stderr) || `it ended with ${code}`);
    const { node: ranOn, measured } = JSON.parse(stdout) as Answer<T>;
    this.ranOn = `Node ${ranOn.replace('v', '')}`;
    return measured;
  }
}

async function endOf(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | string | null }> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  try {
    await once(child, 'close');
    return { stdout, stderr, code: child.exitCode ?? child.signalCode };
  } finally {
    clearTimeout(late);
  }
}
