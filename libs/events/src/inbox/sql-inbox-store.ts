import type { SqlTx } from '@twinyard/service-kit';
import { InboxStore } from './inbox-store';

const PRUNE_BATCH = 10_000;

/** The inbox in a PostgreSQL database. A second delivery at the same time waits for the first one's transaction, then gives way. */
export class SqlInboxStore extends InboxStore<SqlTx> {
  override async claim(tx: SqlTx, handler: string, eventId: string): Promise<boolean> {
    const rows = await tx.prepared('INSERT INTO event_inbox (handler, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1', [handler, eventId]);
    return rows.length === 1;
  }

  /** In the order of their ids: two that claim the same events do not wait for each other in a circle. */
  override async claimAll(tx: SqlTx, handler: string, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.prepared<{ event_id: string }>(
      'INSERT INTO event_inbox (handler, event_id) SELECT $1, id FROM unnest($2::uuid[]) AS id ORDER BY id ON CONFLICT DO NOTHING RETURNING event_id', [handler, eventIds],
    );
    const marked = new Set(rows.map(({ event_id: id }) => id));
    return new Set(eventIds.filter((id) => marked.has(id.toLowerCase())));
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
