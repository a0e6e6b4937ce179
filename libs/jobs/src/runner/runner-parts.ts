import type { Logger, Tx, UnitOfWork } from '@twinyard/service-kit';
import type { JobsMetrics } from '../jobs-metrics';
import type { JobStore } from '../store/job-store';
import type { Hands } from './hands';

export interface RunnerParts {
  readonly store: JobStore;
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly logger: Logger;
  /** How long a handler that was told to stop may take for it. */
  readonly graceMs: number;
  /** Of all kinds together. */
  readonly hands: Hands;
  readonly metrics: Pick<JobsMetrics, 'finished' | 'failed' | 'worked'>;
}
