import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@twinyard/service-kit/process';
import { installed, lastWords, versionOf } from '../engines/installed';

const [READY_WITHIN_MS, LOOK_MS] = [60_000, 100];
const MOST_KEPT = 2_000;

/** Parse Server in a process and a folder of its own, on a database of the platform's PostgreSQL. Installed on demand into the cache of the engines, never a dependency. */
export class ParseServer {
  readonly applicationId = 'bench';
  private said = '';

  private constructor(readonly version: string, readonly baseUrl: string, readonly masterKey: string, private readonly folder: string, private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (this.said = `${this.said}${chunk.toString()}`.slice(-MOST_KEPT)));
  }

  /** Or why it cannot be had. */
  static async start(databaseUrl: string): Promise<ParseServer | string> {
    const found = installed('parse-server');
    if ('missing' in found) return found.missing;
    const home = found.folder;
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-parse-'));
    const masterKey = randomBytes(16).toString('hex');
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({
      appId: 'bench', masterKey, databaseURI: databaseUrl, host: '127.0.0.1', port, mountPath: '/parse', serverURL: `http://127.0.0.1:${port}/parse`,
      logLevel: 'error', logsFolder: null, silent: true, allowClientClassCreation: true,
    }));
    const child = spawn(process.execPath, [join(home, 'node_modules', 'parse-server', 'bin', 'parse-server'), config], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ParseServer(versionOf(home, 'parse-server'), `http://127.0.0.1:${port}`, masterKey, folder, child);
    return (await server.isReady()) ? server : server.stop().then(() => `did not start: ${lastWords(server.said)}`);
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'close');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isReady(): Promise<boolean> {
    const until = performance.now() + READY_WITHIN_MS;
    while (performance.now() < until && this.child.exitCode === null) {
      const answer = await fetch(`${this.baseUrl}/parse/health`).catch(() => undefined);
      if (answer?.ok && ((await answer.json()) as { status: string }).status === 'ok') return true;
      await delay(LOOK_MS);
    }
    return false;
  }
}
