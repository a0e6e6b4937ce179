import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@twinyard/service-kit/process';
import { testRun } from './test-run';

/** One PostgreSQL for the whole run, in a folder of its own. Workers inherit the environment and so find it. */
export default async function startTestPostgres(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL) return;
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-test-'));
  try {
    const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable: false, maxConnections: 600 });
    testRun.postgres = { server, folder };
    process.env.TEST_POSTGRES_URL = server.url();
    process.env.TEST_POSTGRES_TEMPLATES = 'true';
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
