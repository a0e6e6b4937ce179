import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { AuditPlaces } from '../audit/audit-places';
import type { UserEntity } from '../users/user.entity';
import { userCreated } from '../users/user.events';
import type { Arrival } from './upstream-links';

/** Tells of accounts that identity providers have made or been connected with. */
@Injectable()
export class LinkJournal {
  constructor(
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  async made(tx: TypeOrmTx, { address, requestId }: Arrival, user: UserEntity): Promise<void> {
    await this.outbox.append(tx, userCreated(user, { userId: user.id, requestId, address }));
  }

  /** For the owners of the provider's organization. */
  async linked(tx: TypeOrmTx, { provider, address, requestId }: Arrival, userId: string): Promise<void> {
    const namespace = await this.places.ofOrganization(tx, provider.orgId);
    await this.audit.record(tx, { id: userId, address, requestId }, { action: 'LINK', irn: formatIrn('passportsvc', 'identityprovider', provider.id), namespace });
  }
}
