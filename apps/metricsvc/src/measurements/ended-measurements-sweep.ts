import { Injectable, type OnModuleInit } from '@nestjs/common';
import { REPLAYABLE_MS } from '@twinyard/events';
import { Schedules } from '@twinyard/jobs';
import { UnitOfWork } from '@twinyard/service-kit';
import { MeasurementsRepository } from './measurements.repository';

const EVERY_MS = 3_600_000;

/**
 * Forgets what was deleted. The number of its last event keeps earlier ones from counting that come later; none comes any more when events
 * are no longer kept and dead letters no longer replayed.
 */
@Injectable()
export class EndedMeasurementsSweep implements OnModuleInit {
  constructor(
    private readonly measurements: MeasurementsRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every('metricsvc.ended-sweep', { everyMs: EVERY_MS }, (signal) => this.sweep(Date.now(), signal));
  }

  /** Of what is over at `now`, in ms. */
  async sweep(now: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.unitOfWork.run((tx) => this.measurements.removeEnded(tx, new Date(now - REPLAYABLE_MS)))) > 0);
  }
}
