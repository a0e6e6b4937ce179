import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ProcessorClock, processorClock } from '../platform/process-usage';

export const BARE_CLIENT = { id: 'bench', secret: 'a-secret-of-the-benchmark-and-no-other' };
export const BARE_RESOURCE = 'http://127.0.0.1/';

/** `oidc-provider` alone, in a process of its own as passportsvc is. */
export class BareProvider {
  private constructor(private readonly child: ChildProcess, readonly origin: string) {}

  static async start(): Promise<BareProvider> {
    const child = spawn(process.execPath, [join(__dirname, 'bare-provider.js')], { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, NODE_ENV: 'production' } });
    const lines = createInterface({ input: child.stdout });
    const [port] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['none'])])) as [string];
    if (port === 'none') throw new Error('oidc-provider alone did not start');
    return new BareProvider(child, `http://127.0.0.1:${port}`);
  }

  get clock(): ProcessorClock {
    return processorClock(this.child.pid ?? 0);
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
  }
}
