import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { SignInFailuresRepository } from '../sessions/sign-in-failures.repository';
import { accountKey, addressKey, waitSeconds } from '../sessions/sign-in-throttle';
import { toEmail } from '../users/users.repository';

/** Mails that anybody can have sent to anybody are counted as wrong passwords are: by the address that gets them, and by whoever asks. */
@Injectable()
export class MailThrottle {
  constructor(private readonly counters: SignInFailuresRepository) {}

  /** Seconds to wait; 0 when a mail may be asked for now, which then counts. */
  async take(tx: TypeOrmTx, email: string, asker?: string): Promise<number> {
    const keys = [accountKey(`mail to ${toEmail(email)}`), ...(asker === undefined ? [] : [addressKey(asker)])];
    const seconds = waitSeconds(await this.counters.hold(tx, keys));
    if (seconds === 0) for (const key of keys) await this.counters.count(tx, key);
    return seconds;
  }
}
