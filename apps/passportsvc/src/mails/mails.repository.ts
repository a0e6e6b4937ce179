import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

export interface NewMail {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  readonly html: boolean;
}

export interface QueuedMail extends NewMail {
  /** Counts each claim, so it tells a claim from a later one. */
  readonly attempts: number;
}

@Injectable()
export class MailsRepository {
  /** The queue for mails of this transaction: they are sent once it has been committed. */
  async insert(tx: TypeOrmTx, { id, recipient, subject, body, html }: NewMail): Promise<void> {
    await tx.query('INSERT INTO mail (id, recipient, subject, body, html) VALUES ($1, $2, $3, $4, $5)', [id, recipient, subject, body, html]);
  }

  /** The next mail that is due, out of other workers' reach for `leaseMs`. */
  async claimDue(tx: TypeOrmTx, leaseMs: number): Promise<QueuedMail | undefined> {
    const [mail] = await tx.query<QueuedMail>(
      `UPDATE mail SET attempts = attempts + 1, due_at = now() + $1 * interval '1 millisecond'
       WHERE id = (SELECT id FROM mail WHERE due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, recipient, subject, body, html, attempts`, [leaseMs],
    );
    return mail;
  }

  /** Puts the claim off; what another worker has claimed since is left to that one. */
  async postpone(tx: TypeOrmTx, { id, attempts }: QueuedMail, delayMs: number): Promise<void> {
    await tx.query(`UPDATE mail SET due_at = now() + $3 * interval '1 millisecond' WHERE id = $1 AND attempts = $2`, [id, attempts, delayMs]);
  }

  async remove(tx: TypeOrmTx, { id }: QueuedMail): Promise<void> {
    await tx.query('DELETE FROM mail WHERE id = $1', [id]);
  }
}
