import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { RunWatch } from '../execution/run-watch';
import { RunsRepository } from './runs.repository';

/** A run that another replica has in hand notices its cancellation within this. */
const CANCELLING_MS = 1_000;

/** Runs go that have ended or that nobody has begun; the others are cancelled first, so that no step goes on with what is being removed. */
@Injectable()
export class RunsPurge extends NamespacePurge {
  override readonly what = 'runs';

  constructor(
    private readonly runs: RunsRepository,
    private readonly watch: RunWatch,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const open = await this.unitOfWork.run((tx) => this.runs.cancelIn(tx, namespace, limit));
    open.forEach((id) => this.watch.cancel(id));
    const removed = await this.unitOfWork.run((tx) => this.runs.leaveNamespace(tx, namespace, limit));
    return { removed, ...(open.length > 0 && { waitMs: CANCELLING_MS }) };
  }
}
