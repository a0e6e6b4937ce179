import type { SqlTx } from '@twinyard/service-kit';
import { InboxStore } from './inbox-store';

const PRUNE_BATCH = 10_000;

/** The inbox in a PostgreSQL database. A second delivery at the same time waits for the first one's transaction, then gives way. */
export class SqlInboxStore extends InboxStore<SqlTx> {
  override async claim(tx: SqlTx, handler: string, eventId: string): Promise<boolean> {
    const rows = await tx.query('INSERT INTO event_inbox (handler, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1', [handler, eventId]);
    return rows.length === 1;
  }

  override async prune(tx: SqlTx, before: Date): Promise<number> {
    const rows = await tx.query(
      `DELETE FROM event_inbox WHERE (handler, event_id) IN
         (SELECT handler, event_id FROM event_inbox WHERE handled_at < $1 LIMIT ${PRUNE_BATCH}) RETURNING 1`,
      [before],
    );
    return rows.length;
  }
}
