import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { JOBS_OPTIONS, type JobsOptions } from '../jobs-options';
import { Schedules } from '../schedules';
import { JobStore } from '../store/job-store';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Of a kind: a fault that kills all of a kind would fill the table. */
const MOST_DEAD = 10_000;

/** Forgets dead jobs that have had their time, and of each kind all but the latest. */
@Injectable()
export class DeadJobsSweep implements OnModuleInit {
  constructor(
    private readonly store: JobStore,
    private readonly schedules: Schedules,
    @Inject(JOBS_OPTIONS) private readonly options: JobsOptions,
  ) {}

  onModuleInit(): void {
    this.schedules.every('jobs.dead-sweep', { everyMs: HOUR_MS, atStart: true }, (signal) => this.sweep(signal));
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    const before = new Date(Date.now() - this.options.keepDeadDays * DAY_MS);
    for (let removed = 1; removed > 0 && !signal.aborted; ) removed = await this.store.prune(before, MOST_DEAD);
  }
}
