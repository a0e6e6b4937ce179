import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AuditNote } from './audit-fact';

/** Entries that are recorded and wait for their place in a chain. */
@Injectable()
export class AuditPendingRepository {
  /** A note that is there already, waiting or in its chain, is passed over: an event may be told again. */
  async insert(tx: TypeOrmTx, notes: readonly AuditNote[]): Promise<void> {
    await tx.query(
      `INSERT INTO audit_pending (id, namespace, at, by_id, action, irn, address, request_id, details)
       SELECT n.id, n.namespace, n.at, n."byId", n.action, n.irn, n.address, n."requestId", n.details
       FROM ROWS FROM (jsonb_to_recordset($1::jsonb)
         AS (id uuid, namespace text, at timestamptz, "byId" text, action text, irn text, address text, "requestId" text, details jsonb)) WITH ORDINALITY AS n
       WHERE NOT EXISTS (SELECT FROM audit_entry e WHERE e.id = n.id) ORDER BY n.ordinality
       ON CONFLICT (id) DO NOTHING`,
      [JSON.stringify(notes)],
    );
  }
}
