import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { RunWorker } from '../execution/run-worker';
import { OPEN_STATES } from './run-state';
import { RunsRepository } from './runs.repository';

/** A run that another worker has notices its cancellation at the next heartbeat. */
const CANCELLING_MS = 1_000;

/** Runs that have ended go; those that have not are cancelled first, so that no step goes on with what is being removed. */
@Injectable()
export class RunsPurge extends NamespacePurge {
  override readonly what = 'runs';

  constructor(
    private readonly runs: RunsRepository,
    private readonly worker: RunWorker,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const open = await this.unitOfWork.run((tx) => this.runs.cancelIn(tx, namespace, OPEN_STATES, limit));
    open.forEach((id) => this.worker.cancel(id));
    const removed = await this.unitOfWork.run((tx) => this.runs.leaveNamespace(tx, namespace, OPEN_STATES, limit));
    return { removed, ...(open.length > 0 && { waitMs: CANCELLING_MS }) };
  }
}
