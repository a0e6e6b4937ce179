import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = join(__dirname, '..', '..', 'deploy', 'engines', 'src', 'main.js');
const NAMES = ['postgres', 'mongo', 'kafka', 'versitygw'] as const;

interface Started {
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly missing: Readonly<Record<string, string>>;
}

/** Real engines in a folder of their own; they end with `stop()`, and with this process. */
export class BenchEngines {
  private constructor(private readonly holder: ChildProcess, private readonly started: Started) {}

  static async start(): Promise<BenchEngines> {
    spawnSync(process.execPath, [PROGRAM, 'install', 'kafka', 'mongo', 'versitygw'], { stdio: 'ignore' }); // what it cannot have, `missing` says
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-bench-engines-'));
    const holder = spawn(process.execPath, [PROGRAM, 'hold', '--folder', folder, ...NAMES], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    holder.stdin?.on('error', () => undefined);
    const lines = createInterface({ input: holder.stdout as NonNullable<typeof holder.stdout> });
    const [line] = (await Promise.race([once(lines, 'line'), once(holder, 'exit').then(() => ['{"missing":{"engines":"do not start"},"settings":{}}'])])) as [string];
    return new BenchEngines(holder, JSON.parse(line) as Started);
  }

  /** Why there is nothing to measure on; `undefined` when all are there. */
  get missing(): string | undefined {
    const reasons = Object.entries(this.started.missing).map(([name, reason]) => `${name}: ${reason.split('\n')[0] ?? ''}`);
    return reasons.length === 0 ? undefined : reasons.join('; ');
  }

  /** For the platform's runner. */
  get settings(): NodeJS.ProcessEnv {
    return Object.assign({ S3_BUCKET: 'bench' }, ...Object.values(this.started.settings)) as NodeJS.ProcessEnv;
  }

  async stop(): Promise<void> {
    const ended = this.holder.exitCode === null ? once(this.holder, 'exit') : undefined;
    this.holder.stdin?.end();
    await ended;
  }
}
