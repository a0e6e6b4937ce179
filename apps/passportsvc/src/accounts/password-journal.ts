import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditLog } from '../audit/audit-log';
import type { UserEntity } from '../users/user.entity';
import { AccountMails, languageOf } from './account-mails';
import type { AskedFrom } from './new-password';

/** What is told of a new password, in its transaction: to its owner by mail, in case it was somebody else, and to the platform's log. */
@Injectable()
export class PasswordJournal {
  constructor(
    private readonly mails: AccountMails,
    private readonly audit: AuditLog,
  ) {}

  async tell(tx: TypeOrmTx, action: 'CHANGE_PASSWORD' | 'RESET_PASSWORD', user: UserEntity, { language, address, requestId }: AskedFrom): Promise<void> {
    await this.mails.queue(tx, user.email, languageOf(user, language), ({ passwordChanged: { subject, body } }, platform) => ({ subject, body: body(platform) }), requestId);
    await this.audit.record(tx, { id: user.id, address, requestId }, { action, irn: formatIrn('passportsvc', 'user', user.id) });
  }
}
