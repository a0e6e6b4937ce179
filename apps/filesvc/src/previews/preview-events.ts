import { Injectable } from '@nestjs/common';
import { OnEventInBatches, type ResourceEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PreviewTasksRepository } from './preview-tasks.repository';
import { PreviewWorker } from './preview-worker';

/**
 * Versions that replicas of the release before have made, which order their pictures by this event. To go in the next release, with the group's position
 * in the topic: while that stands still no event of it is removed from the log.
 */
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
    const added = await this.tasks.addAnnounced(tx, made.map(({ resource, user, requestId }) => ({ versionId: resource._id, userId: user.id, requestId })));
    if (added > 0) this.worker.wake();
  }
}
