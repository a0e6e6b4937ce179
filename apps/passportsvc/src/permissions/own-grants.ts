import { Injectable } from '@nestjs/common';
import { type EffectiveGrants, GrantSource, NO_GRANTS } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { Liveness } from '../sessions/liveness';
import { DirectoryRepository } from './directory.repository';
import { identityOf } from './grant-resolver';
import { OwnLease } from './own-lease';

/**
 * Who calls passportsvc. Its own requests change who somebody is (a confirmed address, a name), which no other service is told of,
 * so that is read anew each time; the grants, of which there may be thousands, come from memory.
 */
@Injectable()
export class OwnGrants extends GrantSource {
  constructor(
    private readonly liveness: Liveness,
    private readonly directory: DirectoryRepository,
    private readonly lease: OwnLease,
  ) {
    super();
  }

  override async resolve(principal: Principal): Promise<EffectiveGrants> {
    const [{ alive, user }, groupIds, { grants }] = await Promise.all([
      this.liveness.look(principal),
      principal.type === 'user' ? this.directory.groupIdsOf(principal.id) : [],
      this.lease.resolve(principal),
    ]);
    return alive ? { ...identityOf(user), active: true, groupIds, grants } : NO_GRANTS;
  }
}
