import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@twinyard/service-kit';
import { Client } from 'pg';
import { GRANT_CHANGE_CHANNEL } from './grant-feed.repository';

const RECONNECT_MS = 200;

/** Hears of grant changes that any replica of passportsvc committed, by PostgreSQL's NOTIFY, on a connection of its own. */
export class GrantChangeListener implements OnApplicationShutdown {
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private client: Client | undefined;
  private stopped = false;

  constructor(
    private readonly databaseUrl: string,
    private readonly logger: Logger,
  ) {}

  async start(): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl, application_name: 'passportsvc grant feed' });
    client.on('notification', () => this.announce());
    client.on('error', (error) => void this.restart(client, error));
    await client.connect();
    await client.query(`LISTEN ${GRANT_CHANGE_CHANNEL}`);
    this.client = client;
    // Whatever was announced while nobody listened.
    this.announce();
  }

  /** Has whoever waits look. */
  announce(): void {
    this.emitter.emit('change');
  }

  /** Resolves at the next change, or when `signal` fires: whether there was one. */
  async next(signal: AbortSignal): Promise<boolean> {
    return once(this.emitter, 'change', { signal }).then(() => true, () => false);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.client?.end().catch(() => undefined);
  }

  private async restart(broken: Client, cause: unknown): Promise<void> {
    if (this.stopped || this.client !== broken) return;
    this.client = undefined;
    this.logger.warn({ err: cause }, 'lost the grant feed connection');
    await broken.end().catch(() => undefined);
    while (!this.stopped && this.client === undefined) {
      await delay(RECONNECT_MS);
      await this.start().catch(() => undefined);
    }
  }
}
