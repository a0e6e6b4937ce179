import { Injectable } from '@nestjs/common';
import { MetricsRegistry } from '@twinyard/service-kit';
import { HeldRunsRepository } from './held-runs.repository';

/** What operators watch, and what more replicas are started by. A number that cannot be asked for is `NaN`. */
@Injectable()
export class RunsMetrics {
  constructor(registry: MetricsRegistry, runs: HeldRunsRepository) {
    registry.gauge('runs_waiting', 'Runs that wait for a worker, of all replicas, counted up to 10,000', [], async (gauge) => {
      gauge.set(await runs.countWaiting().catch(() => Number.NaN));
    });
  }
}
