import { Injectable } from '@nestjs/common';
import { NamespacePurge, type PurgeStep } from '@twinyard/events';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { NamespaceGrantsRepository } from './namespace-grants.repository';

/** What was granted in the namespace, to users, groups, clients and profiles, and the profiles themselves. */
@Injectable()
export class NamespaceGrantsPurge extends NamespacePurge {
  override readonly what = 'permissions and permission profiles';

  constructor(
    private readonly grants: NamespaceGrantsRepository,
    private readonly feed: GrantFeed,
  ) {
    super();
  }

  override async removeSome(namespace: string, limit: number): Promise<PurgeStep> {
    const removed = await this.feed.commit(async (tx) => {
      const holders = await this.grants.removePermissions(tx, namespace, limit);
      const profiles = await this.grants.removeProfiles(tx, namespace, limit);
      return { result: holders.length + profiles.length, keys: [...new Set([...holders, ...profiles.map((id) => `permprofile:${id}` as const)])] };
    });
    return { removed };
  }
}
