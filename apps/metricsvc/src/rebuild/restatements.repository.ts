import type { SqlTx } from '@twinyard/service-kit';
import type { Contribution } from '../measurements/contribution';

export interface Restated {
  readonly subject: string;
  readonly namespaces: readonly string[];
  readonly contributions: readonly Contribution[];
  /** ISO 8601 */
  readonly madeAt: string;
  readonly changedAt: string;
}

/** All that is measured of one owner after its event number `sequence`. */
export interface Restatement {
  readonly owner: string;
  readonly sequence: number;
  readonly subjects: readonly Restated[];
}

export interface Leftover {
  readonly owner: string;
  /** What stands before the colon of one of its subjects. */
  readonly kind: string;
}

const LEFTOVERS = 200;

const AHEAD = `
  SELECT given.owner, max(known.sequence) AS sequence
  FROM jsonb_to_recordset($1) AS given(owner text, sequence bigint)
  JOIN (SELECT owner, sequence FROM measurement UNION ALL SELECT owner, sequence FROM restatement) known
    ON known.owner = given.owner AND known.sequence > given.sequence
  GROUP BY given.owner`;

// What is known keeps its hours; an event that was missed may have come later than they say.
const STATE = `
  INSERT INTO measurement AS m (subject, owner, sequence, namespaces, contributions, ended_at, made_at, changed_at)
  SELECT s.subject, given.owner, given.sequence, s.namespaces, s.contributions, CASE WHEN s.contributions = '[]' THEN now() END, date_trunc('hour', s."madeAt", 'UTC'), date_trunc('hour', s."changedAt", 'UTC')
  FROM jsonb_to_recordset($1) AS given(owner text, sequence bigint, subjects jsonb)
  CROSS JOIN LATERAL jsonb_to_recordset(given.subjects) AS s(subject text, namespaces text[], contributions jsonb, "madeAt" timestamptz, "changedAt" timestamptz)
  ON CONFLICT (subject) DO UPDATE SET
    owner = excluded.owner, sequence = excluded.sequence, namespaces = excluded.namespaces, contributions = excluded.contributions,
    ended_at = CASE WHEN excluded.contributions = '[]' THEN coalesce(m.ended_at, now()) END, made_at = coalesce(m.made_at, excluded.made_at),
    changed_at = CASE WHEN m.sequence = excluded.sequence THEN coalesce(m.changed_at, excluded.changed_at) ELSE greatest(m.changed_at, excluded.changed_at) END`;

const END_OTHERS = `
  UPDATE measurement m SET sequence = given.sequence, contributions = '[]', ended_at = coalesce(m.ended_at, now())
  FROM jsonb_to_recordset($1) AS given(owner text, sequence bigint, subjects jsonb)
  WHERE m.owner = given.owner AND NOT EXISTS (SELECT FROM jsonb_array_elements(given.subjects) s WHERE s ->> 'subject' = m.subject)`;

const REMEMBER = `
  INSERT INTO restatement (owner, sequence, rebuild)
  SELECT given.owner, given.sequence, $2 FROM jsonb_to_recordset($1) AS given(owner text, sequence bigint)
  ON CONFLICT (owner) DO UPDATE SET sequence = excluded.sequence, rebuild = excluded.rebuild, restated_at = excluded.restated_at`;

/** What a rebuild writes of what is measured. Its transactions hold the whole table: no event is counted beside them. */
export class RestatementsRepository {
  /** Waits for the events that are being counted, and keeps further ones waiting until the transaction ends. */
  async lock(tx: SqlTx): Promise<void> {
    await tx.query('LOCK TABLE measurement IN SHARE ROW EXCLUSIVE MODE');
  }

  /** Those owners of which later events than the restatement's are known, with the numbers of these. */
  async ahead(tx: SqlTx, restatements: readonly Restatement[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.query<{ owner: string; sequence: string }>(AHEAD, [JSON.stringify(restatements)]);
    return new Map(rows.map(({ owner, sequence }) => [owner, Number(sequence)]));
  }

  /** From now on this is what is known of these owners, and nothing else. */
  async restate(tx: SqlTx, rebuild: string, restatements: readonly Restatement[]): Promise<void> {
    const given = JSON.stringify(restatements);
    await tx.query(STATE, [given]);
    await tx.query(END_OTHERS, [given]);
    await tx.query(REMEMBER, [given, rebuild]);
  }

  /** Forgets which events these owners have had. */
  async forget(tx: SqlTx, owners: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM measurement WHERE owner = ANY($1)', [owners]);
    await tx.query('DELETE FROM restatement WHERE owner = ANY($1)', [owners]);
  }

  /** Some owners that add something and that this rebuild has not come across. */
  async leftovers(tx: SqlTx, rebuild: string): Promise<Leftover[]> {
    return tx.query<Leftover>(
      `SELECT owner, min(split_part(subject, ':', 1)) AS kind FROM measurement m
       WHERE contributions <> '[]' AND NOT EXISTS (SELECT FROM restatement r WHERE r.owner = m.owner AND r.rebuild = $1)
       GROUP BY owner ORDER BY owner LIMIT ${LEFTOVERS}`,
      [rebuild],
    );
  }
}
