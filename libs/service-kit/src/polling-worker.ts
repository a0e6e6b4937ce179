import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from './logging/logger';

export interface Polling {
  /** Wait after a look that found nothing, or failed. */
  readonly pollMs: number;
  /** What is worked off, for the log. */
  readonly what: string;
  readonly logger: Logger;
}

/** Works off what is due from the start of the application to its end, one piece at a time; replicas share the work by claims. */
export abstract class PollingWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  protected constructor(private readonly polling: Polling) {}

  /** Handles the next piece that is due; false when there is none. */
  protected abstract step(): Promise<boolean>;

  onApplicationBootstrap(): void {
    this.loop = this.run();
  }

  /** Resolves when the piece in hand is done. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { pollMs, what, logger } = this.polling;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const busy = await this.step().catch((error: unknown) => {
        logger.warn({ err: error }, `could not work off ${what}`);
        return false;
      });
      if (!busy) await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
