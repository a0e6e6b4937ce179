import { Injectable } from '@nestjs/common';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { RunCancellation } from '../runs/run-cancellation';
import type { RunLimits } from './run-queue.repository';
import { RunQueue } from './run-queue';

/** What becomes of the runs of an orchestrator that is changed or deleted. */
@Injectable()
export class OrchestratorRuns {
  constructor(
    private readonly cancellation: RunCancellation,
    private readonly queue: RunQueue,
  ) {}

  cancelOf(tx: TypeOrmTx, orchestratorId: string, origin: EventOrigin): Promise<void> {
    return this.cancellation.cancelOf(tx, orchestratorId, origin);
  }

  /** Those that wait begin where it is paused no longer, or may have more under way. */
  async limitsChanged(tx: TypeOrmTx, stored: RunLimits, changed: RunLimits & { readonly id: string }): Promise<void> {
    const isOpened = (stored.paused && !changed.paused) || mostOf(changed) > mostOf(stored);
    if (isOpened) await this.queue.reconsider(tx, changed.id);
  }
}

const mostOf = ({ maxConcurrent }: RunLimits) => maxConcurrent ?? Number.POSITIVE_INFINITY;
