import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AppsRepository } from '../apps/apps.repository';
import { Namespaces } from '../namespaces/namespaces.service';
import { GroupLifecycle } from '../usergroups/group-lifecycle';
import type { UserEntity } from '../users/user.entity';
import { OrganizationsRepository } from './organizations.repository';

/** Contract 1.4: the owner named by an unknown e-mail. What waits for an address is given to the person that has proved it. */
@Injectable()
export class PendingOwners {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly apps: AppsRepository,
    private readonly namespaces: Namespaces,
    private readonly groups: GroupLifecycle,
  ) {}

  /** To be called inside `GrantFeed.commit` when an account is made or its address verified; the answer is for its `keys`. */
  async claim(tx: TypeOrmTx, user: Pick<UserEntity, 'id' | 'email' | 'emailVerified'>, requestId: string): Promise<InvalidationKey[]> {
    // Anybody can sign up with anybody's address: only whoever reads its mail is its owner.
    if (!user.emailVerified) return [];
    const owned = [...(await this.organizations.takePending(tx, user.email, user.id)), ...(await this.apps.takePending(tx, user.email, user.id))];
    const keys: InvalidationKey[] = [];
    for (const { namespace, adminGroupId } of owned) {
      keys.push(...(await this.namespaces.giveAll(tx, namespace, [{ type: 'user', id: user.id }], user.id)));
      if (adminGroupId !== null) keys.push(...(await this.groups.enter(tx, adminGroupId, { userId: user.id, requestId })));
    }
    return keys;
  }
}
