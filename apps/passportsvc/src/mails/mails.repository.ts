import { Injectable } from '@nestjs/common';
import { limitExceeded } from '@twinyard/conventions';
import { job, Jobs } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { z } from 'zod';

const mail = z.object({ id: z.string(), recipient: z.string(), subject: z.string(), body: z.string(), html: z.boolean() });

export type NewMail = z.infer<typeof mail>;

/** Settings say how often and for how long a mail is tried. One that no server takes goes: it holds links, and whose mailbox it was for. */
export const MAIL = job('passportsvc.mail', {
  schema: mail, leaseMs: 6_000, longestMs: 40_000, retry: { attempts: 12, firstMs: 2_000, longestMs: 3_600_000 }, concurrency: 1, dead: 'forget',
  // A mail server that has the whole of it keeps it, whoever cuts the line then: it would be sent twice.
  finishWithinMs: 5_000,
});

/** Characters of JSON, with some room for what stands beside it in a job. */
const LARGEST = 1_000_000;
const isTooLarge = (given: NewMail) => JSON.stringify(given).length > LARGEST;

/** Of what is left over, at a time. */
const ADOPTED = 500;
/** A request for a new password that is older nobody waits for: see `reset-requests.service.ts`. */
const REQUEST_LIFETIME = '15 minutes';

export interface LeftOver {
  readonly taken: number;
  /** Ids of those that no job can hold: they are gone. */
  readonly tooLarge: readonly string[];
}

interface MailSource {
  /** Whose mails take turns with those of others; nobody's are those to people about their accounts. */
  readonly tenant?: string;
  /** Of the request that it follows from. */
  readonly requestId?: string | undefined;
}

@Injectable()
export class MailsRepository {
  constructor(private readonly jobs: Jobs) {}

  /** The queue for mails of this transaction: they are sent once it has been committed. @throws ServiceError `limit_exceeded` */
  async insert(tx: TypeOrmTx, given: NewMail, { tenant = '', requestId }: MailSource = {}): Promise<void> {
    if (isTooLarge(given)) throw limitExceeded(`A mail has at most ${LARGEST} characters`);
    await this.jobs.enqueue(tx, MAIL, given, { namespace: tenant, requestId });
  }

  /** Queues some of the mails that replicas of the release before have left in their own table; what one of them has in hand is not due. */
  async adoptLeftOver(tx: TypeOrmTx): Promise<LeftOver> {
    const left = await tx.query<NewMail>(
      `DELETE FROM mail WHERE id IN (SELECT id FROM mail WHERE due_at <= now() ORDER BY due_at LIMIT ${ADOPTED} FOR UPDATE SKIP LOCKED) RETURNING id, recipient, subject, body, html`,
    );
    const kept = left.filter((given) => !isTooLarge(given));
    await this.jobs.enqueueAll(tx, MAIL, kept.map((payload) => ({ payload, namespace: '' })));
    return { taken: left.length, tooLarge: left.filter(isTooLarge).map(({ id }) => id) };
  }

  /** Removes requests for new passwords that those replicas have left in theirs, with the addresses in them. */
  async removeLeftOverRequests(tx: TypeOrmTx): Promise<void> {
    await tx.query(`DELETE FROM reset_request WHERE id IN (SELECT id FROM reset_request WHERE requested_at < now() - interval '${REQUEST_LIFETIME}' LIMIT ${ADOPTED} FOR UPDATE SKIP LOCKED)`);
  }

  async hasLeftOver(tx: TypeOrmTx): Promise<boolean> {
    const [row] = await tx.query<{ is_left: boolean }>('SELECT EXISTS (SELECT FROM mail) OR EXISTS (SELECT FROM reset_request) AS is_left');
    return row?.is_left === true;
  }
}
