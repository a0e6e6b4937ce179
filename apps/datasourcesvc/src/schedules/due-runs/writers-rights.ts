import { Injectable } from '@nestjs/common';
import { Access, GrantSource, keptScopes } from '@twinyard/auth';
import { orchestratorTarget } from '../../orchestrators/orchestrator.entity';
import type { ScheduledOrchestrator } from '../schedules.repository';

/** What those who wrote schedules hold by now (contract 5). */
@Injectable()
export class WritersRights {
  constructor(private readonly grants: GrantSource) {}

  /**
   * The namespaces of the schedule in which its writer may run the orchestrator; none: it is gone, or may not any more.
   * @throws ServiceError `unavailable` when nobody can say
   */
  async namespacesOf({ schedule, orchestrator }: ScheduledOrchestrator): Promise<readonly string[]> {
    const { writer } = schedule;
    const principal = { ...writer, scopes: keptScopes(writer.scopes), tokenId: '' };
    const effective = await this.grants.resolve(principal);
    if (!effective.active) return [];
    const namespaces = schedule.namespaces.filter((namespace) => orchestrator.namespaces.includes(namespace));
    const access = new Access(effective, principal.scopes, namespaces);
    return namespaces.filter((namespace) => access.holds('RUN', orchestratorTarget([namespace], orchestrator.id)));
  }
}
