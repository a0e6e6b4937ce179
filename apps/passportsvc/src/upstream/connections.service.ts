import { Injectable } from '@nestjs/common';
import { formatIrn, isUuid } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import { type Connection, UserIdentitiesRepository } from '../identityproviders/user-identities.repository';
import type { AccountPart } from '../pages/page-slots';
import type { Html } from '../pages/html';
import { UsersRepository } from '../users/users.repository';
import { connectionsSection } from './connections-section';

/** The identity providers that somebody has signed in through, on the account page. */
@Injectable()
export class Connections {
  constructor(
    private readonly identities: UserIdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly audit: AuditLog,
  ) {}

  async section(part: AccountPart): Promise<Html> {
    const [connections, user] = await Promise.all([this.identities.listOf(part.userId), this.users.findById(part.userId)]);
    return connectionsSection(part, connections, connections.length > 1 || user?.passwordHash != null);
  }

  /** False when there is no such connection, or it is the only way in. */
  async disconnect({ userId, providerId, subject }: Pick<Connection, 'userId' | 'providerId' | 'subject'>, from: { readonly address: string; readonly requestId: string }): Promise<boolean> {
    if (!isUuid(providerId)) return false;
    return this.unitOfWork.run(async (tx) => {
      const isRemoved = await this.identities.removeUnlessLast(tx, userId, providerId, subject);
      if (isRemoved) await this.audit.record(tx, { id: userId, ...from }, { action: 'UNLINK', irn: formatIrn('passportsvc', 'identityprovider', providerId) });
      return isRemoved;
    });
  }
}
