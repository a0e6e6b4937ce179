import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { UnitOfWork } from '@twinyard/service-kit';
import { ResourcesRepository } from './resources.repository';

@Injectable()
export class ResourcesPurge extends NamespacePurge {
  override readonly what = 'triggers, senders, templates, groups, devices and subscriptions';

  constructor(
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return { removed: await this.unitOfWork.run((tx) => this.resources.removeIn(tx, namespace, limit)) };
  }
}
