import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AuditEntry, ChainHead } from './audit-chain';
import type { AuditNote } from './audit-fact';

/** Any number that no other lock of this database has. */
const FOLLOWER_LOCK = 727_003;

interface Head extends ChainHead {
  readonly namespace: string;
}

export interface PendingNote extends AuditNote {
  readonly isChained: boolean;
}

/** Moves what is recorded to its place. Only one process of the platform does so at a time. */
@Injectable()
export class AuditChainsRepository {
  async hasPending(tx: TypeOrmTx): Promise<boolean> {
    return (await tx.query('SELECT FROM audit_pending LIMIT 1')).length > 0;
  }

  /** Until the transaction ends. False: another process has it. */
  async lock(tx: TypeOrmTx): Promise<boolean> {
    const [row] = await tx.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [FOLLOWER_LOCK]);
    return row?.locked === true;
  }

  /** The oldest entries that wait. `isChained`: an event that was told again while its entry found its place. */
  async findPending(tx: TypeOrmTx, limit: number): Promise<PendingNote[]> {
    return tx.query<PendingNote>(
      `SELECT id, namespace, at, by_id AS "byId", action, irn, address, request_id AS "requestId", details,
              EXISTS (SELECT FROM audit_entry e WHERE e.id = p.id) AS "isChained"
       FROM audit_pending p ORDER BY position LIMIT $1`, [limit],
    );
  }

  async findHeads(tx: TypeOrmTx, namespaces: readonly string[]): Promise<ReadonlyMap<string, ChainHead>> {
    const rows = await tx.query<{ namespace: string; sequence: string; hash: Buffer }>(
      'SELECT namespace, sequence, hash FROM audit_head WHERE namespace = ANY($1)', [namespaces],
    );
    return new Map(rows.map(({ namespace, sequence, hash }) => [namespace, { sequence: Number(sequence), hash: hash.toString('hex') }]));
  }

  async append(tx: TypeOrmTx, entries: readonly AuditEntry[], heads: readonly Head[]): Promise<void> {
    await tx.query(
      `INSERT INTO audit_entry (namespace, sequence, id, at, by_id, action, irn, address, request_id, details, previous_hash, hash)
       SELECT e.namespace, e.sequence, e.id, e.at, e."byId", e.action, e.irn, e.address, e."requestId", e.details,
              decode(e."previousHash", 'hex'), decode(e.hash, 'hex')
       FROM jsonb_to_recordset($1::jsonb) AS e
         (namespace text, sequence bigint, id uuid, at timestamptz, "byId" text, action text, irn text, address text, "requestId" text,
          details jsonb, "previousHash" text, hash text)`,
      [JSON.stringify(entries)],
    );
    await tx.query(
      `INSERT INTO audit_head (namespace, sequence, hash)
       SELECT h.namespace, h.sequence, decode(h.hash, 'hex') FROM jsonb_to_recordset($1::jsonb) AS h (namespace text, sequence bigint, hash text)
       ON CONFLICT (namespace) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash`,
      [JSON.stringify(heads)],
    );
  }

  async removePending(tx: TypeOrmTx, ids: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM audit_pending WHERE id = ANY($1::uuid[])', [ids]);
  }
}
