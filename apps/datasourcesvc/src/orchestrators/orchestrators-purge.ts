import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { OrchestratorsRepository } from './orchestrators.repository';

@Injectable()
export class OrchestratorsPurge extends NamespacePurge {
  override readonly what = 'orchestrators';

  constructor(
    private readonly orchestrators: OrchestratorsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return { removed: await this.unitOfWork.run((tx) => this.orchestrators.leaveNamespace(tx, namespace, limit)) };
  }
}
