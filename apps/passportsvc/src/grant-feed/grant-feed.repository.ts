import { Injectable } from '@nestjs/common';
import type { GrantSyncRequest, InvalidationKey } from '@twinyard/auth';
import { LEASE_MS } from '@twinyard/auth';
import type { SqlTx } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';

export const GRANT_CHANGE_CHANNEL = 'grant_change';
/** Any number of our own: appends are serialised by it, so that changes become visible in the order of their numbers. */
const APPEND_LOCK = 727_002;

export interface GrantChanges {
  /** Highest change there is. */
  readonly seq: number;
  /** Lowest change that is still kept; 0 when none is. */
  readonly oldest: number;
  readonly keys: readonly InvalidationKey[];
}

interface ChangesRow {
  readonly seq: string;
  readonly oldest: string;
  readonly keys: string[];
}

const changesOf = (row: ChangesRow | undefined): GrantChanges => ({ seq: Number(row?.seq), oldest: Number(row?.oldest), keys: row?.keys ?? [] });

@Injectable()
export class GrantFeedRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Held until the transaction ends: what is read under it is all that was committed before. */
  async takeTurn(tx: SqlTx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [APPEND_LOCK]);
  }

  /** In one's turn. */
  async append(tx: SqlTx, keys: readonly InvalidationKey[]): Promise<number> {
    const rows = await tx.query<{ seq: string }>('INSERT INTO grant_change (keys) VALUES ($1) RETURNING seq', [[...new Set(keys)]]);
    await tx.query(`NOTIFY ${GRANT_CHANGE_CHANNEL}`);
    return Number(rows[0]?.seq);
  }

  async currentSeq(): Promise<number> {
    const [row] = await this.dataSource.query<{ seq: string }[]>('SELECT coalesce(max(seq), 0) AS seq FROM grant_change');
    return Number(row?.seq);
  }

  async changesAfter(acked: number): Promise<GrantChanges> {
    const [row] = await this.dataSource.query<ChangesRow[]>(
      `SELECT coalesce(max(seq), 0) AS seq, coalesce(min(seq), 0) AS oldest,
              coalesce((SELECT array_agg(DISTINCT key) FROM grant_change c, unnest(c.keys) key WHERE c.seq > $1::bigint), '{}') AS keys
       FROM grant_change`,
      [acked],
    );
    return changesOf(row);
  }

  /** Once this is committed, and for the lease, every change waits for this instance to have applied it. */
  async renew({ instance, service, acked }: GrantSyncRequest): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO grant_subscriber (instance, service, acked_seq, lease_until)
       VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')
       ON CONFLICT (instance) DO UPDATE SET acked_seq = excluded.acked_seq, lease_until = excluded.lease_until`,
      [instance, service, acked, LEASE_MS],
    );
  }

  /** Whether an instance that holds a lease has not applied change `seq`. */
  async isAwaited(seq: number): Promise<boolean> {
    const [row] = await this.dataSource.query<{ awaited: boolean }[]>(
      'SELECT EXISTS (SELECT FROM grant_subscriber WHERE lease_until > clock_timestamp() AND acked_seq < $1) AS awaited',
      [seq],
    );
    return row?.awaited === true;
  }

  /** Forgets instances long gone and changes that no instance can ask for any more; the last one stays, for its number. */
  async prune(): Promise<void> {
    await this.dataSource.query(`DELETE FROM grant_subscriber WHERE lease_until < now() - interval '1 minute'`);
    await this.dataSource.query(
      `DELETE FROM grant_change WHERE at < now() - interval '1 hour' AND seq < (SELECT max(seq) FROM grant_change)`,
    );
  }
}
