import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PeriodicSweep } from '@twinyard/service-kit';
import { JOBS_OPTIONS, type JobsOptions } from '../jobs-options';
import { JobStore } from '../store/job-store';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of a kind: a fault that kills all of a kind would fill the table. */
const MOST_DEAD = 10_000;

/** Forgets dead jobs that have had their time, and of each kind all but the latest. Replicas may do so at the same time. */
@Injectable()
export class DeadJobsSweep extends PeriodicSweep {
  constructor(
    private readonly store: JobStore,
    @Inject(JOBS_OPTIONS) private readonly options: JobsOptions,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: HOUR_MS, atStart: true, complaint: 'dead jobs cannot be removed right now' }, logger);
  }

  override async sweep(now: number): Promise<void> {
    const before = new Date(now - this.options.keepDeadDays * DAY_MS);
    for (let removed = 1; removed > 0 && !this.stopped; ) removed = await this.store.prune(before, MOST_DEAD);
  }
}
