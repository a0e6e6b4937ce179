import type { Pool } from 'pg';
import type { CloudEvent } from '../../contract/cloud-event';
import { deadTopicOf } from '../../contract/topics';
import type { DeadLetter, DeadLetterFilter } from '../event-bus';
import { CHANNEL } from './event-log';

const MATCHES = '($1::text IS NULL OR consumer_group = $1) AND ($2::text IS NULL OR topic = $2) AND ($3::text IS NULL OR event ->> \'id\' = $3)';
const LIST_LIMIT = 1_000;

/** The payload that tells consumers of a replay; no topic has this name. */
export const REPLAY = '*';

export interface DueReplay {
  readonly id: string;
  readonly event: CloudEvent;
}

/** Events that a group could not handle, with the cause: the topics `<topic>.dead`. */
export class DeadLetters {
  constructor(private readonly pool: Pool) {}

  async list(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    const { rows } = await this.pool.query<DeadLetter>(
      `SELECT id, consumer_group AS "group", regexp_replace(topic, '\\.dead$', '') AS topic, cause, failed_at AS "failedAt", event
       FROM event_dead_letters WHERE ${MATCHES} ORDER BY id LIMIT ${LIST_LIMIT}`,
      parametersOf(filter),
    );
    return rows;
  }

  async requestReplay(filter: DeadLetterFilter): Promise<number> {
    const { rowCount } = await this.pool.query(`UPDATE event_dead_letters SET replay = true WHERE ${MATCHES}`, parametersOf(filter));
    await this.pool.query('SELECT pg_notify($1, $2)', [CHANNEL, REPLAY]);
    return rowCount ?? 0;
  }

  /** The oldest letter of the group that is to be handled again. */
  async nextReplay(group: string, topics: readonly string[], leaseMs: number): Promise<DueReplay | undefined> {
    const { rows } = await this.pool.query<DueReplay>(
      `UPDATE event_dead_letters SET leased_until = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE id = (SELECT id FROM event_dead_letters
                   WHERE replay AND consumer_group = $1 AND topic = ANY($2) AND leased_until < clock_timestamp()
                   ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, event`,
      [group, topics.map(deadTopicOf), leaseMs],
    );
    return rows[0];
  }

  async remove(id: string): Promise<void> {
    await this.pool.query('DELETE FROM event_dead_letters WHERE id = $1', [id]);
  }

  /** It failed again; it stays until somebody asks for another replay. */
  async keep(id: string, cause: string): Promise<void> {
    await this.pool.query(
      "UPDATE event_dead_letters SET replay = false, leased_until = '-infinity', cause = $2, failed_at = clock_timestamp() WHERE id = $1",
      [id, cause],
    );
  }
}

const parametersOf = ({ group, topic, eventId }: DeadLetterFilter) => [group ?? null, topic === undefined ? null : deadTopicOf(topic), eventId ?? null];
