import { Injectable } from '@nestjs/common';
import { Access, GrantSource, PassportClient, type UserSummary } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import type { Notification } from '../notifications/notification';
import { Skipped } from './delivery-parts';

/** Whom notifications are for. */
@Injectable()
export class Readers {
  constructor(
    private readonly passport: PassportClient,
    private readonly grants: GrantSource,
  ) {}

  /** The owner of the device, as it is now: its present address, and whether it may still see the namespace. */
  async of({ ownerIrn, namespace }: Notification): Promise<UserSummary> {
    const id = ownerIrn.split(':')[2] ?? '';
    const { users } = await this.passport.users({ ids: [id] });
    const reader = users[0];
    if (reader === undefined || reader.disabled) throw new Skipped('the owner of the device is gone');
    const principal: Principal = { type: 'user', id, tokenId: '', scopes: ['read'] };
    const access = new Access(await this.grants.resolve(principal), ['read'], [namespace]);
    if (access.scope('READ', 'notificationsvc:subscription').areas.length === 0) throw new Skipped('the owner of the device may not see the namespace any more');
    return reader;
  }
}
