import { Inject, Injectable } from '@nestjs/common';
import { REPLAYABLE_MS } from '@twinyard/events';
import { LOGGER, type Logger, PeriodicSweep, UnitOfWork } from '@twinyard/service-kit';
import { MeasurementsRepository } from './measurements.repository';

const EVERY_MS = 3_600_000;

/**
 * Forgets what was deleted. The number of its last event keeps earlier ones from counting that come later; none comes any more when events
 * are no longer kept and dead letters no longer replayed.
 */
@Injectable()
export class EndedMeasurementsSweep extends PeriodicSweep {
  constructor(
    private readonly measurements: MeasurementsRepository,
    private readonly unitOfWork: UnitOfWork,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: EVERY_MS, complaint: 'what was measured of deleted things waits to be forgotten' }, logger);
  }

  override async sweep(now: number): Promise<void> {
    while (!this.stopped && (await this.unitOfWork.run((tx) => this.measurements.removeEnded(tx, new Date(now - REPLAYABLE_MS)))) > 0);
  }
}
