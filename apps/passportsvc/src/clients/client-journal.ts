import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { AuditPlaces } from '../audit/audit-places';
import type { ClientEntity } from './client.entity';

/** What was done to a client, in its transaction: told to the owners of the organization that it works for, else to the platform's own log. */
@Injectable()
export class ClientJournal {
  constructor(
    private readonly audit: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  async tell(tx: TypeOrmTx, by: RequestContext, action: 'CREATE' | 'ROTATE_SECRET' | 'DELETE', { id, name, orgId, scopes, trusted }: ClientEntity): Promise<void> {
    const namespace = await this.places.ofOrganization(tx, orgId);
    await this.audit.record(tx, by, { action, irn: `passportsvc:client:${id}`, namespace, details: { name, orgId, scopes, trusted } });
  }
}
