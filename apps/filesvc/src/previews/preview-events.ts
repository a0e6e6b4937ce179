import { Injectable } from '@nestjs/common';
import { OnEvent, type ResourceEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PreviewTasksRepository } from './preview-tasks.repository';
import { PreviewWorker } from './preview-worker';

/** A new version is to get a picture. */
@Injectable()
export class PreviewEvents {
  constructor(
    private readonly tasks: PreviewTasksRepository,
    private readonly worker: PreviewWorker,
  ) {}

  @OnEvent('filesvc.FileVersion')
  async order(tx: TypeOrmTx, { event, resource, user, requestId }: ResourceEvent<'filesvc.FileVersion'>): Promise<void> {
    if (event !== 'resource.ResourceCreated') return;
    await this.tasks.add(tx, resource._id, { userId: user.id, requestId });
    this.worker.wake();
  }
}
