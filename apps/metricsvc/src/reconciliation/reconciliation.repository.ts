import { Injectable } from '@nestjs/common';
import type { SqlTx } from '@twinyard/service-kit';
import type { Contribution } from '../measurements/contribution';
import { type SourceTopic, TOPIC_OF_SUBJECT } from '../rebuild/rebuild-sources';
import { type ReconciliationState, reconciliationState } from './reconciliation-state';

/** What is measured of an owner. */
export interface Known {
  /** The number of its last event that was counted. */
  readonly sequence: number;
  readonly subjects: ReadonlyMap<string, readonly Contribution[]>;
}

export const UNKNOWN: Known = { sequence: 0, subjects: new Map() };

interface Row {
  readonly owner: string;
  readonly sequence: string;
  readonly subject: string | null;
  readonly contributions: readonly Contribution[];
}

const kindsOf = (topic: SourceTopic) => Object.entries(TOPIC_OF_SUBJECT).flatMap(([kind, of]) => (of === topic ? [kind] : []));

@Injectable()
export class ReconciliationRepository {
  async state(tx: SqlTx): Promise<ReconciliationState> {
    const [row] = await tx.query<{ state: unknown }>('SELECT state FROM reconciliation');
    return row === undefined ? {} : reconciliationState.parse(row.state);
  }

  async keep(tx: SqlTx, state: ReconciliationState): Promise<void> {
    await tx.query('INSERT INTO reconciliation (state) VALUES ($1) ON CONFLICT (single) DO UPDATE SET state = excluded.state', [JSON.stringify(state)]);
  }

  async knownOf(tx: SqlTx, owners: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const rows = await tx.query<Row>(
      `SELECT owner, sequence, subject, contributions FROM measurement WHERE owner = ANY($1)
       UNION ALL SELECT owner, sequence, NULL, '[]' FROM restatement WHERE owner = ANY($1)`,
      [owners],
    );
    const known = new Map<string, { sequence: number; subjects: Map<string, readonly Contribution[]> }>();
    for (const { owner, sequence, subject, contributions } of rows) {
      const of = known.get(owner) ?? { sequence: 0, subjects: new Map() };
      known.set(owner, of);
      of.sequence = Math.max(of.sequence, Number(sequence));
      if (subject !== null && contributions.length > 0) of.subjects.set(subject, contributions);
    }
    return known;
  }

  /** The next owners of things of the topic that add something, in the order of their keys. */
  async ownersAfter(tx: SqlTx, topic: SourceTopic, { after = '', limit }: { readonly after?: string | undefined; readonly limit: number }): Promise<string[]> {
    const rows = await tx.query<{ owner: string }>(
      `SELECT DISTINCT owner FROM measurement WHERE owner > $1 AND contributions <> '[]' AND split_part(subject, ':', 1) = ANY($2) ORDER BY owner LIMIT $3`,
      [after, kindsOf(topic), limit],
    );
    return rows.map(({ owner }) => owner);
  }
}
