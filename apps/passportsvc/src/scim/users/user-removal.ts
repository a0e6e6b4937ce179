import { Injectable } from '@nestjs/common';
import type { InvalidationKey } from '@twinyard/auth';
import type { EventOrigin } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AccessKeys } from '../../accesskeys/access-keys.service';
import { LivingOwners } from '../../ownership/living-owners';
import { PermissionsRepository } from '../../permissions/permissions.repository';
import { Sessions } from '../../sessions/sessions.service';
import { GroupLifecycle } from '../../usergroups/group-lifecycle';
import type { UserEntity } from '../../users/user.entity';
import { ScimUsersRepository } from './scim-users.repository';

/** What goes with somebody who goes. The methods answer keys for the change feed. */
@Injectable()
export class UserRemoval {
  constructor(
    private readonly users: ScimUsersRepository,
    private readonly sessions: Sessions,
    private readonly accessKeys: AccessKeys,
    private readonly groups: GroupLifecycle,
    private readonly permissions: PermissionsRepository,
    private readonly owners: LivingOwners,
  ) {}

  /** Sessions, access keys and all tokens stay ended when the account is active again. */
  async putOut(tx: TypeOrmTx, userId: string): Promise<InvalidationKey[]> {
    return [...(await this.sessions.endAllOf(tx, userId)), ...(await this.accessKeys.removeAllOf(tx, userId))];
  }

  /** Memberships and grants go too: an id comes back to nobody. */
  async remove(tx: TypeOrmTx, user: UserEntity, origin: EventOrigin): Promise<InvalidationKey[]> {
    this.owners.waive(tx);
    const keys = await this.putOut(tx, user.id);
    for (const group of await this.users.listGroupsOf(tx, user.id)) await this.groups.removeMembers(tx, group, [user.id], origin);
    await this.permissions.removeAllFor(tx, { type: 'user', id: user.id });
    return keys;
  }
}
