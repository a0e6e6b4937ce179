import type { DataSource, EntityManager } from 'typeorm';
import type { AuditEntry, ChainHead } from './audit-chain';
import { ENTRY_COLUMNS, type EntryRow, toEntry } from './audit-entries.repository';
import type { Anchor } from './audit-verification';

const BATCH = 1_000;

/** A chain as it is at one moment, while others go on writing to it. */
export interface ChainSnapshot {
  readonly head: ChainHead | undefined;
  readonly batches: AsyncIterable<readonly AuditEntry[]>;
}

/** All of every chain: for operators, whom no scope narrows. */
export class AuditVerificationRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Every namespace that has entries or a head; found by steps through the index, since entries are many. */
  async listNamespaces(): Promise<string[]> {
    const rows = await this.dataSource.query<{ namespace: string }[]>(
      `WITH RECURSIVE chained AS (
         SELECT min(namespace) AS namespace FROM audit_entry
         UNION ALL SELECT (SELECT min(e.namespace) FROM audit_entry e WHERE e.namespace > c.namespace) FROM chained c WHERE c.namespace IS NOT NULL
       )
       SELECT namespace FROM chained WHERE namespace IS NOT NULL UNION SELECT namespace FROM audit_head ORDER BY namespace`,
    );
    return rows.map(({ namespace }) => namespace);
  }

  async listHeads(namespaces: readonly string[]): Promise<Anchor[]> {
    const rows = await this.dataSource.query<HeadRow[]>(
      `SELECT namespace, sequence, encode(hash, 'hex') AS hash FROM audit_head WHERE $1::text[] = '{}' OR namespace = ANY($1) ORDER BY namespace`, [namespaces],
    );
    return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
  }

  async read<R>(namespace: string, work: (chain: ChainSnapshot) => Promise<R>): Promise<R> {
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const [row] = await manager.query<HeadRow[]>(`SELECT namespace, sequence, encode(hash, 'hex') AS hash FROM audit_head WHERE namespace = $1`, [namespace]);
      return work({ head: row && { sequence: Number(row.sequence), hash: row.hash }, batches: batchesOf(manager, namespace) });
    });
  }
}

interface HeadRow {
  readonly namespace: string;
  readonly sequence: string;
  readonly hash: string;
}

async function* batchesOf(manager: EntityManager, namespace: string): AsyncGenerator<readonly AuditEntry[]> {
  for (let last = 0; ;) {
    const rows = await manager.query<EntryRow[]>(
      `SELECT ${ENTRY_COLUMNS} FROM audit_entry WHERE namespace = $1 AND sequence > $2 ORDER BY sequence LIMIT ${BATCH}`, [namespace, last],
    );
    const entries = rows.map(toEntry);
    if (entries.length > 0) yield entries;
    if (entries.length < BATCH) return;
    last = entries.at(-1)?.sequence ?? last;
  }
}
