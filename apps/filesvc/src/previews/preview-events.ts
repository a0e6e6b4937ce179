import { Injectable } from '@nestjs/common';
import { OnEventInBatches, type ResourceEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PreviewTasksRepository } from './preview-tasks.repository';
import { PreviewWorker } from './preview-worker';

/** New versions are to get pictures. */
@Injectable()
export class PreviewEvents {
  constructor(
    private readonly tasks: PreviewTasksRepository,
    private readonly worker: PreviewWorker,
  ) {}

  @OnEventInBatches('filesvc.FileVersion')
  async order(tx: TypeOrmTx, events: readonly ResourceEvent<'filesvc.FileVersion'>[]): Promise<void> {
    const made = events.filter(({ event }) => event === 'resource.ResourceCreated');
    if (made.length === 0) return;
    await this.tasks.add(tx, made.map(({ resource, user, requestId }) => ({ versionId: resource._id, userId: user.id, requestId })));
    this.worker.wake();
  }
}
