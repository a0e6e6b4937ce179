import { Client } from 'pg';
import { eventually } from './eventually';

/** New ids, so that no inbox knows them; and not what asks for the purge itself, which would begin anew. */
const TELL = `
  WITH told AS (
    SELECT topic, partition, position, event FROM event_log WHERE strpos(event::text, $1) > 0 AND event #> '{data,resource,_purge}' IS NULL
  ), heads AS (
    UPDATE event_heads h SET last = h.last + many.events FROM (SELECT topic, partition, count(*) AS events FROM told GROUP BY 1, 2) many
    WHERE many.topic = h.topic AND many.partition = h.partition RETURNING h.topic, h.partition, h.last - many.events AS last
  )
  INSERT INTO event_log (topic, partition, position, event)
  SELECT topic, partition, h.last + row_number() OVER (PARTITION BY topic, partition ORDER BY t.position),
         t.event || jsonb_build_object('id', fresh.id, 'sequence', lpad(((t.event ->> 'sequence')::bigint + $2)::text, 20, '0'),
                                       'data', (t.event -> 'data') || jsonb_build_object('uuid', fresh.id))
  FROM told t JOIN heads h USING (topic, partition) CROSS JOIN LATERAL (SELECT gen_random_uuid() AS id WHERE t.position IS NOT NULL) fresh`;

const BEHIND = 'SELECT p.consumer_group, p.topic FROM event_positions p JOIN event_heads h USING (topic, partition) WHERE p.position < h.last';

/**
 * Has every consumer on an event log in PostgreSQL told once more of all that names this text, as late events: with the numbers that they had,
 * and then with later ones. Resolves with how many events that were, when all have handled them.
 */
export async function tellAgain(eventsDatabaseUrl: string, text: string): Promise<number> {
  const client = new Client({ connectionString: eventsDatabaseUrl });
  await client.connect();
  try {
    let told = 0;
    for (const later of [0, 1_000_000]) {
      const { rowCount } = await client.query(TELL, [text, later]);
      told += rowCount ?? 0;
      await eventually(async () => {
        const { rows } = await client.query(BEHIND);
        if (rows.length > 0) throw new Error(`not told yet: ${JSON.stringify(rows)}`);
      }, { timeoutMs: 120_000 });
    }
    return told;
  } finally {
    await client.end();
  }
}
