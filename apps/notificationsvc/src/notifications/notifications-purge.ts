import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { NotificationsRepository } from './notifications.repository';

/** A delivery under way ends at its next write, which finds no notification any more. */
@Injectable()
export class NotificationsPurge extends NamespacePurge {
  override readonly what = 'notifications';

  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return this.unitOfWork.run(async (tx) => {
      const own = await this.notifications.removeIn(tx, namespace, limit);
      return { removed: own + (await this.notifications.leaveNamespace(tx, namespace, limit)) };
    });
  }
}
