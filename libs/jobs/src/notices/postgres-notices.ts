import { doubledWait } from '@twinyard/conventions';
import type { Logger } from '@twinyard/service-kit';
import { Client } from 'pg';
import { CHANNEL } from '../store/postgres/statement-parts';
import { JobNotices, type Noticed } from './job-notices';

const RETRY = { firstMs: 100, longestMs: 5_000 };

/** LISTEN on a connection of its own: one that is pooled is given to others, and closed when it rests. */
export class PostgresNotices extends JobNotices {
  private client: Client | undefined;
  private retry: NodeJS.Timeout | undefined;
  private connecting: Promise<void> = Promise.resolve();
  private failures = 0;
  private isStopped = true;

  constructor(private readonly url: string, private readonly logger: Logger) {
    super();
  }

  override start(onNotice: (noticed: Noticed) => void): void {
    this.isStopped = false;
    this.connecting = this.listen(onNotice);
  }

  override async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.retry);
    await this.connecting;
    await this.client?.end().catch(() => undefined);
  }

  /** The transaction that commits them tells everybody. */
  override enqueued(): void {
    return undefined;
  }

  private async listen(onNotice: (noticed: Noticed) => void): Promise<void> {
    const client = new Client({ connectionString: this.url, keepAlive: true, connectionTimeoutMillis: 15_000 });
    const lost = (error?: Error) => {
      if (this.isStopped || this.client !== client) return;
      this.client = undefined;
      this.later(onNotice, error);
    };
    this.client = client;
    client.on('error', lost);
    client.on('end', () => lost());
    client.on('notification', ({ payload }) => onNotice(payload ?? 'all'));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.failures = 0;
      // What was announced while nobody listened.
      onNotice('all');
    } catch (error) {
      await client.end().catch(() => undefined);
      lost(error as Error);
    }
  }

  private later(onNotice: (noticed: Noticed) => void, error?: Error): void {
    const waitMs = doubledWait(RETRY, this.failures);
    this.failures += 1;
    this.logger.warn({ err: error, waitMs }, 'notices of jobs are not heard right now');
    this.retry = setTimeout(() => (this.connecting = this.listen(onNotice)), waitMs).unref();
  }
}
