import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { ProcessingErrorsRepository } from './processing-errors.repository';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Records that one transaction removes. */
const BATCH = 500;
const MAX_NAMESPACES = 10_000;

/** Lets processing errors go by age and by number. Several processes may do it: the second finds nothing. */
@Injectable()
export class ProcessingErrorRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly errors: ProcessingErrorsRepository,
    @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping
        .then(() => this.sweep(Date.now()))
        .catch((error: unknown) => this.logger.warn({ err: error }, 'old processing errors wait for removal'));
    }, EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  async sweep(now: number): Promise<void> {
    const { TELEMETRY_ERRORS_KEPT_DAYS: days, TELEMETRY_ERRORS_KEPT: most } = this.settings;
    await this.repeat(() => this.errors.removeOlderThan(now - days * DAY_MS, BATCH));
    for (const namespace of await this.errors.namespaces(MAX_NAMESPACES)) await this.repeat(() => this.errors.removeBeyond(namespace, most, BATCH));
  }

  private async repeat(remove: () => Promise<number>): Promise<void> {
    while (!this.stopped && (await remove()) === BATCH);
  }
}
