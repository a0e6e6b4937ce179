import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { formatIrn } from '@twinyard/conventions';
import { Outbox } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../../audit/audit-log';
import { AuditPlaces } from '../../audit/audit-places';
import { userCreated, userDeleted, userUpdated } from '../../users/user.events';
import type { ScimUser } from './scim-user';

const EVENTS = { CREATE: userCreated, UPDATE: userUpdated, DELETE: userDeleted } as const;

/**
 * What is told of a change, in its transaction. Users are in no namespace, so their events reach the platform's audit log alone; the
 * owners of an organization hear in theirs what its provider did.
 */
@Injectable()
export class ScimJournal {
  constructor(
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  /** `before`: what it was. Another address is a fact of its own: whoever reads its mail can come in. Neither is named. */
  async tell(tx: TypeOrmTx, by: RequestContext, action: keyof typeof EVENTS, { account, orgId }: ScimUser, before?: ScimUser): Promise<void> {
    await this.outbox.append(tx, EVENTS[action](account, by.origin));
    const [irn, namespace] = [formatIrn('passportsvc', 'user', account.id), await this.places.ofOrganization(tx, orgId)];
    if (orgId !== null) await this.audit.record(tx, by, { action, irn, namespace, details: { _status: account.disabled ? 'DISABLED' : 'ACTIVE' } });
    if (before !== undefined && before.account.email !== account.email) await this.audit.record(tx, by, { action: 'CHANGE_EMAIL', irn, namespace });
  }
}
