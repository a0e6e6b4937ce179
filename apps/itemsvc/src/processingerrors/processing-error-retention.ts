import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PeriodicSweep } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { ProcessingErrorsRepository } from './processing-errors.repository';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Records that one transaction removes. */
const BATCH = 500;
const MAX_NAMESPACES = 10_000;

/** Lets processing errors go by age and by number. Several processes may do it: the second finds nothing. */
@Injectable()
export class ProcessingErrorRetention extends PeriodicSweep {
  constructor(
    private readonly errors: ProcessingErrorsRepository,
    @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: EVERY_MS, complaint: 'old processing errors wait for removal' }, logger);
  }

  override async sweep(now: number): Promise<void> {
    const { TELEMETRY_ERRORS_KEPT_DAYS: days, TELEMETRY_ERRORS_KEPT: most } = this.settings;
    await this.repeat(() => this.errors.removeOlderThan(now - days * DAY_MS, BATCH));
    for (const namespace of await this.errors.namespaces(MAX_NAMESPACES)) await this.repeat(() => this.errors.removeBeyond(namespace, most, BATCH));
  }

  private async repeat(remove: () => Promise<number>): Promise<void> {
    while (!this.stopped && (await remove()) === BATCH);
  }
}
