import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@twinyard/service-kit/process';
import type { DatabaseServer } from './database-server';
import type { PlatformLog } from './platform-log';
import { takenPort } from './ports';

const RETRY_MS = 1_000;

/** What PostgreSQL says to the question whether it is up yet; the second where it ended without notice. */
const STILL_STARTING = /^the database system is (?:starting up|not yet accepting connections|in recovery mode)$/;

export interface PostgresOptions {
  readonly folder: string;
  /** A free one by default. */
  readonly port: number | undefined;
  readonly maxConnections: number;
}

/** The platform's PostgreSQL, started again on the same port when it dies, so that the services find it where it was. */
export class SupervisedPostgres implements DatabaseServer {
  private stopping = false;
  private server!: EmbeddedPostgres;
  private watching: Promise<void> = Promise.resolve();

  private constructor(private readonly options: PostgresOptions, private readonly log: PlatformLog) {}

  static async start(options: PostgresOptions, log: PlatformLog): Promise<SupervisedPostgres> {
    const postgres = new SupervisedPostgres(options, log);
    postgres.server = await postgres.launch(options.port).catch((error: Error) => {
      const isTaken = options.port !== undefined && error.message.includes('Address already in use');
      throw isTaken ? new Error(takenPort('POSTGRES_PORT', options.port), { cause: error }) : error;
    });
    postgres.watching = postgres.watch();
    return postgres;
  }

  url(database: string): string {
    return this.server.url(database);
  }

  get port(): number {
    return this.server.port;
  }

  get pid(): number {
    return this.server.pid;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.server.stop();
    await this.watching; // it may be starting a new one
  }

  private launch(port: number | undefined): Promise<EmbeddedPostgres> {
    const { folder, maxConnections } = this.options;
    return startEmbeddedPostgres({ folder, maxConnections, onLine: (line) => this.onLine(line), ...(port !== undefined && { port }) });
  }

  /** PostgreSQL says much that only its administrator wants to know; what matters is WARNING, FATAL and PANIC. */
  private onLine(line: string): void {
    const match = /\b(WARNING|FATAL|PANIC): +(.*)$/.exec(line);
    const [, , said = line] = match ?? [];
    if (/was not properly shut down/.test(line)) this.log.info('PostgreSQL ended without notice the last time: it recovers what was written');
    else if (match && !this.stopping && !STILL_STARTING.test(said)) this.log.say('postgres', 'warn', said, {});
  }

  private async watch(): Promise<void> {
    while (!this.stopping) {
      await this.server.ended;
      if (this.stopping) return;
      this.log.error('PostgreSQL died and is started again');
      await this.relaunch();
    }
  }

  private async relaunch(): Promise<void> {
    while (!this.stopping) {
      try {
        this.server = await this.launch(this.server.port);
        if (this.stopping) await this.server.stop();
        return;
      } catch (error) {
        this.log.error('PostgreSQL does not start', { reason: error instanceof Error ? error.message : String(error) });
        await delay(RETRY_MS);
      }
    }
  }
}
