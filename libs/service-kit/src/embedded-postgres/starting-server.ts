import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { sqlState } from '../sql/sql-errors';

/** How long nothing may be heard of a server that starts. */
const SILENT_MS = 60_000;
const ASK_EVERY_MS = 30;
const CANNOT_CONNECT_NOW = '57P03';

export interface StartingServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Its last lines. */
  readonly said: readonly string[];
  readonly silentMs?: number;
  readonly now?: () => number;
}

/**
 * Resolves when the server answers. One that says that it is starting up reads its log after a crash, which takes as long as that is:
 * to end it would have the next one begin anew, for ever.
 */
export async function waitUntilItAnswers(server: StartingServer): Promise<void> {
  const { url, child, said, silentMs, now } = { silentMs: SILENT_MS, now: () => performance.now(), ...server };
  let deadline = now() + silentMs;
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (let state = await ask(url); state !== 'ready'; state = await ask(url)) {
    const hasEnded = failure !== undefined || child.exitCode !== null || child.signalCode !== null;
    if (hasEnded) throw new Error(`PostgreSQL did not start: ${failure?.message ?? said.join('\n')}`);
    if (state === 'starting') deadline = now() + silentMs;
    if (now() > deadline) {
      child.kill('SIGQUIT');
      throw new Error(`PostgreSQL did not answer within ${silentMs / 1000} s: ${said.join('\n')}`);
    }
    await delay(ASK_EVERY_MS);
  }
}

async function ask(url: string): Promise<'ready' | 'starting' | 'silent'> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // the server may still end while the question is open; the next round asks again
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    return sqlState(error) === CANNOT_CONNECT_NOW ? 'starting' : 'silent';
  } finally {
    await client.end().catch(() => undefined);
  }
}
