import type { Pool } from 'pg';
import type { CloudEvent } from '../../contract/cloud-event';
import { deadTopicOf } from '../../contract/topics';

/** A partition that one consumer works on until its lease runs out. */
export interface PartitionClaim {
  readonly topic: string;
  readonly partition: number;
  /** The last event that the group is done with. */
  readonly position: number;
  /** The last event there was when the claim was made. */
  readonly head: number;
  /** Failed tries of the event behind `position`. */
  readonly attempts: number;
  /** Rises with every claim: whoever comes with an older number has lost his lease and changes nothing. */
  readonly claim: number;
}

export interface Progress {
  readonly position: number;
  readonly attempts: number;
  /** Nobody takes the partition before; 0 for at once. */
  readonly retryMs: number;
}

/** How far somebody has come with a partition. */
export interface ReachedPosition {
  readonly claim: PartitionClaim;
  readonly position: number;
  readonly attempts: number;
}

const JOIN = `
  INSERT INTO event_positions (consumer_group, topic, partition, position)
  SELECT $1, h.topic, h.partition,
         COALESCE((SELECT min(l.position) - 1 FROM event_log l WHERE l.topic = h.topic AND l.partition = h.partition), h.last)
  FROM event_heads h WHERE h.topic = ANY($2)
  ON CONFLICT DO NOTHING`;

const CLAIM = `
  WITH due AS (
    SELECT p.topic, p.partition, h.last FROM event_positions p
    JOIN event_heads h ON h.topic = p.topic AND h.partition = p.partition
    WHERE p.consumer_group = $1 AND p.topic = ANY($2) AND h.last > p.position
      AND p.retry_at <= clock_timestamp() AND p.leased_until < clock_timestamp()
    ORDER BY p.claimed_at LIMIT $4 FOR UPDATE OF p SKIP LOCKED
  )
  UPDATE event_positions p
  SET claim = p.claim + 1, claimed_at = clock_timestamp(), leased_until = clock_timestamp() + $3 * interval '1 millisecond'
  FROM due WHERE p.consumer_group = $1 AND p.topic = due.topic AND p.partition = due.partition
  RETURNING p.topic, p.partition, p.position, p.attempts, p.claim, due.last AS head`;

/** What was given back is not taken up again. */
const HOLD_ALL = `
  UPDATE event_positions p SET leased_until = clock_timestamp() + $5 * interval '1 millisecond'
  FROM unnest($2::text[], $3::int[], $4::bigint[]) AS held (topic, partition, claim)
  WHERE p.consumer_group = $1 AND p.topic = held.topic AND p.partition = held.partition AND p.claim = held.claim AND p.leased_until <> '-infinity'`;

const NEXT_DUE = `
  SELECT extract(epoch FROM min(greatest(p.leased_until, p.retry_at, clock_timestamp())) - clock_timestamp()) * 1000 AS ms FROM event_positions p
  JOIN event_heads h ON h.topic = p.topic AND h.partition = p.partition
  WHERE p.consumer_group = $1 AND p.topic = ANY($2) AND h.last > p.position`;

/** Whoever holds a claim alone writes to its row, and gives no sign of life meanwhile: the order of the rows does not matter. */
const RELEASE_ALL = `
  UPDATE event_positions p SET position = given.position, attempts = given.attempts, retry_at = clock_timestamp(), leased_until = '-infinity'
  FROM unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[], $6::int[]) AS given (topic, partition, claim, position, attempts)
  WHERE p.consumer_group = $1 AND p.topic = given.topic AND p.partition = given.partition AND p.claim = given.claim`;

const STILL_MINE = 'consumer_group = $1 AND topic = $2 AND partition = $3 AND claim = $4';

/** Who works on what, and how far each group is. Every statement is a transaction of its own. */
export class GroupPositions {
  constructor(private readonly pool: Pool, private readonly group: string, private readonly leaseMs: number) {}

  /** A new group starts at the oldest event that is kept. */
  async join(topics: readonly string[], partitions: number): Promise<void> {
    await this.pool.query(
      'INSERT INTO event_heads (topic, partition) SELECT t, p FROM unnest($1::text[]) t, generate_series(0, $2::int - 1) p ORDER BY 1, 2 ON CONFLICT DO NOTHING',
      [topics, partitions],
    );
    await this.pool.query(JOIN, [this.group, topics]);
  }

  /** Topics that nobody of the group takes any more: the log need not keep their events for it. */
  async leave(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.pool.query('DELETE FROM event_positions WHERE consumer_group = $1 AND topic = ANY($2)', [this.group, topics]);
  }

  async claim(topics: readonly string[], limit: number): Promise<PartitionClaim[]> {
    const { rows } = await this.pool.query<Record<'position' | 'claim' | 'head', string> & Pick<PartitionClaim, 'topic' | 'partition' | 'attempts'>>(
      { name: 'claim', text: CLAIM, values: [this.group, topics, this.leaseMs, limit] },
    );
    return rows.map((row) => ({ ...row, position: Number(row.position), claim: Number(row.claim), head: Number(row.head) }));
  }

  /** Keeps the partition and notes how far it is. False: the lease was lost. */
  async renew(claim: PartitionClaim, position: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE event_positions SET position = $5, attempts = 0, leased_until = clock_timestamp() + $6 * interval '1 millisecond' WHERE ${STILL_MINE}`,
      [...this.key(claim), position, this.leaseMs],
    );
    return rowCount === 1;
  }

  /** Keeps partitions that are being worked on, by one statement. */
  async hold(claims: readonly PartitionClaim[]): Promise<void> {
    const columns = [claims.map(({ topic }) => topic), claims.map(({ partition }) => partition), claims.map(({ claim }) => claim)];
    await this.pool.query({ name: 'hold', text: HOLD_ALL, values: [this.group, ...columns, this.leaseMs] });
  }

  /** In how many ms what others hold, or what waits for another try, may be taken; `undefined` when nothing waits. */
  async nextDueMs(topics: readonly string[]): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ ms: string | null }>({ name: 'next due', text: NEXT_DUE, values: [this.group, topics] });
    const ms = rows[0]?.ms;
    return ms === null || ms === undefined ? undefined : Number(ms);
  }

  /** Gives partitions back, by one statement. */
  async releaseAll(reached: readonly ReachedPosition[]): Promise<void> {
    if (reached.length === 0) return;
    const claims = reached.map(({ claim }) => claim);
    const columns = [claims.map(({ topic }) => topic), claims.map(({ partition }) => partition), claims.map(({ claim }) => claim), reached.map(({ position }) => position), reached.map(({ attempts }) => attempts)];
    await this.pool.query({ name: 'release', text: RELEASE_ALL, values: [this.group, ...columns] });
  }

  /** Gives back a partition whose next event has failed. */
  async release(claim: PartitionClaim, { position, attempts, retryMs }: Progress): Promise<void> {
    await this.pool.query(
      `UPDATE event_positions SET position = $5, attempts = $6, retry_at = clock_timestamp() + $7 * interval '1 millisecond', leased_until = '-infinity'
       WHERE ${STILL_MINE}`,
      [...this.key(claim), position, attempts, retryMs],
    );
  }

  /** Goes past an event and stores it with the cause, both or neither. False: the lease was lost. */
  async giveUp(claim: PartitionClaim, position: number, event: CloudEvent, cause: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `WITH passed AS (UPDATE event_positions SET position = $5, attempts = 0 WHERE ${STILL_MINE} RETURNING 1)
       INSERT INTO event_dead_letters (consumer_group, topic, event, cause) SELECT $1, $6, $7::jsonb, $8 FROM passed`,
      [...this.key(claim), position, deadTopicOf(claim.topic), JSON.stringify(event), cause],
    );
    return rowCount === 1;
  }

  private key(claim: PartitionClaim): unknown[] {
    return [this.group, claim.topic, claim.partition, claim.claim];
  }
}
