import { mailboxOf } from '@twinyard/conventions';
import type { DataSource } from 'typeorm';

/** An account that was made before one mailbox was one account. */
export interface SharedMailbox {
  readonly id: string;
  /** As it was given; whoever writes it so signs in to this account. */
  readonly email: string;
  /** The mailbox that it reaches; `null`: none, by the rule of now. */
  readonly mailbox: string | null;
  /** Whose address the mailbox is; `null`: nobody's. */
  readonly holderId: string | null;
}

const BATCH = 1_000;

/** Accounts whose addresses are not in the form that accounts have now, in the order of their ids. */
export class SharedMailboxesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async *all(): AsyncGenerator<SharedMailbox> {
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const rows = await this.dataSource.query<{ id: string; email: string }[]>('SELECT id, email FROM app_user WHERE id > $1::uuid ORDER BY id LIMIT $2', [after, BATCH]);
      for (const { id, email } of rows) {
        const mailbox = mailboxOf(email) ?? null;
        if (mailbox !== email) yield { id, email, mailbox, holderId: await this.holderOf(mailbox) };
      }
      if (rows.length < BATCH) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** Pairs of accounts whose user names differ by case alone. */
  async *sharedNames(): AsyncGenerator<{ readonly id: string; readonly name: string; readonly holderId: string }> {
    yield* await this.dataSource.query<{ id: string; name: string; holderId: string }[]>(
      `SELECT later.id, coalesce(later.user_name, later.email) AS name, holder.id AS "holderId" FROM app_user later
       JOIN app_user holder ON holder.user_name_key = later.user_name_key AND NOT holder.shares_name WHERE later.shares_name ORDER BY later.id`);
  }

  private async holderOf(mailbox: string | null): Promise<string | null> {
    const [row] = mailbox === null ? [] : await this.dataSource.query<{ id: string }[]>('SELECT id FROM app_user WHERE email = $1', [mailbox]);
    return row?.id ?? null;
  }
}
