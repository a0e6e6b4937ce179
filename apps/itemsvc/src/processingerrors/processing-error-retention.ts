import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { ProcessingErrorsRepository } from './processing-errors.repository';

const EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Records that one transaction removes. */
const BATCH = 500;
const MAX_NAMESPACES = 10_000;

/** Lets processing errors go by age and by number. */
@Injectable()
export class ProcessingErrorRetention implements OnModuleInit {
  constructor(
    private readonly errors: ProcessingErrorsRepository,
    @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every('itemsvc.processing-error-sweep', { everyMs: EVERY_MS }, (signal) => this.sweep(Date.now(), signal));
  }

  /** Removes what is over at `now`, in ms. */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    const { TELEMETRY_ERRORS_KEPT_DAYS: days, TELEMETRY_ERRORS_KEPT: most } = this.settings;
    await repeat(() => this.errors.removeOlderThan(now - days * DAY_MS, BATCH), signal);
    for (const namespace of await this.errors.namespaces(MAX_NAMESPACES)) await repeat(() => this.errors.removeBeyond(namespace, most, BATCH), signal);
  }
}

async function repeat(remove: () => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
  while (signal?.aborted !== true && (await remove()) === BATCH);
}
