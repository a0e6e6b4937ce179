import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { BareTransfers } from './transfer-bench';

const TUS = { 'tus-resumable': '1.0.0' };

/** Files in a folder and nothing in front of them, in a process of its own as filesvc is. */
export class BareStore implements BareTransfers {
  readonly name = 'a node server and a file';

  private readonly pool: Pool;

  private constructor(private readonly child: ChildProcess, private readonly folder: string, origin: string) {
    this.pool = new Pool(origin, { connections: 1, pipelining: 1, headersTimeout: 600_000, bodyTimeout: 600_000 });
  }

  static async start(): Promise<BareStore> {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-bench-bare-'));
    const child = spawn(process.execPath, [join(__dirname, 'bare-store.js'), folder], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } });
    const lines = createInterface({ input: child.stdout });
    const [port] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['none'])])) as [string];
    if (port === 'none') throw new Error('the bare store did not start');
    return new BareStore(child, folder, `http://127.0.0.1:${port}`);
  }

  async upload(name: string, content: AsyncIterable<Buffer>, size: number): Promise<void> {
    await this.send('POST', `/files/${name}`, { 'content-length': String(size) }, content);
  }

  async uploadResumable(content: AsyncIterable<Buffer>, size: number): Promise<void> {
    const location = await this.send('POST', '/tus', { ...TUS, 'upload-length': String(size) });
    await this.send('PATCH', new URL(location ?? '').pathname, { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0', 'content-length': String(size) }, content);
  }

  async download(name: string): Promise<number> {
    const { body } = await this.pool.request({ method: 'GET', path: `/files/${name}` });
    let size = 0;
    for await (const chunk of body) size += (chunk as Buffer).length;
    return size;
  }

  async stop(): Promise<void> {
    await this.pool.close();
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async send(method: 'POST' | 'PATCH', path: string, headers: Record<string, string>, content?: AsyncIterable<Buffer>): Promise<string | undefined> {
    const answer = await this.pool.request({ method, path, headers, ...(content && { body: Readable.from(content, { objectMode: false }) }) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`bare ${method} ${path} answered ${answer.statusCode}: ${text}`);
    const { location } = answer.headers;
    return typeof location === 'string' ? location : undefined;
  }
}
