import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { AttemptCountsRepository } from '../sessions/attempts/attempt-counts.repository';
import { accountKey } from '../sessions/sign-in-throttle';

const DAY_SECONDS = 86_400;

interface Count {
  readonly email: string;
  readonly key: string;
  readonly limit: number;
}

/**
 * How many invitations, to groups and to own something, go to one mailbox in a day: it may be anybody's, and has not asked for any. They are
 * counted for all replicas, of each inviter and of all together: none can use up what others have, but many together cannot flood a mailbox.
 */
@Injectable()
export class InvitationLimit {
  constructor(
    private readonly counts: AttemptCountsRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** `emails`: each once. `inviter`: whose mails count together. @throws ServiceError `too_many_requests` that names the first address that gets no more; then none of them counts. */
  async take(tx: TypeOrmTx, emails: readonly string[], inviter: string): Promise<void> {
    const wanted = new Map(emails.flatMap((email) => this.countsOf(email, inviter)).map((count) => [count.key, count]));
    for (const { key, count, seconds } of await this.counts.add([...wanted.keys()], DAY_SECONDS, tx)) {
      const { email, limit } = wanted.get(key) as Count;
      if (count > limit) throw new ServiceError('too_many_requests', `${email} has got ${limit} invitations within a day and gets no more for now`, { retryAfter: seconds });
    }
  }

  private countsOf(email: string, inviter: string): Count[] {
    const { INVITATIONS_PER_DAY: ofAll, INVITATIONS_OF_TENANT_PER_DAY: ofOne } = this.settings;
    return [
      { email, key: accountKey(`invitation to ${email}`), limit: ofAll },
      { email, key: accountKey(`invitation to ${email} by ${inviter}`), limit: ofOne },
    ];
  }
}
