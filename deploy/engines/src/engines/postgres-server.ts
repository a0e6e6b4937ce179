/** postgres-server {folder} {port}: holds the server of the npm package until it ends or is told to stop. A process of its own, since the server ends with its starter. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@twinyard/service-kit/process';
import { runningPostgresFile } from './postgres';

const [folder = '.', port = '0'] = process.argv.slice(2);
const file = runningPostgresFile(folder);

async function main(): Promise<void> {
  const server = await start();
  process.once('SIGTERM', () => void server.stop());
  process.once('SIGINT', () => void server.stop());
  writeFileSync(`${file}.part`, JSON.stringify({ pid: server.pid, url: server.url() }), { mode: 0o600 });
  renameSync(`${file}.part`, file);
  await server.ended;
  rmSync(file, { force: true });
}

const RETRIED_FOR_MS = 120_000;

/** The servers of single clients outlive a killed main process by moments, and hold the memory that all share. */
async function start(): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + RETRIED_FOR_MS;
  for (;;) {
    try {
      return await startEmbeddedPostgres({ folder: join(folder, 'data'), port: Number(port), maxConnections: 400, onLine: (line) => console.error(line) });
    } catch (error) {
      if (Date.now() > deadline || !(error instanceof Error) || !/shared memory/.test(error.message)) throw error;
      await delay(100);
    }
  }
}

void main();
