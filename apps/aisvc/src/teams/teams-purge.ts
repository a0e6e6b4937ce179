import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { TeamsRepository } from './teams.repository';

@Injectable()
export class TeamsPurge extends NamespacePurge {
  override readonly what = 'teams';

  constructor(
    private readonly teams: TeamsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    return { removed: await this.unitOfWork.run((tx) => this.teams.leaveNamespace(tx, namespace, limit)) };
  }
}
