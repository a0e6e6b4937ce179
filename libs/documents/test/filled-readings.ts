import type { Client } from 'pg';

/** Readings of one item, a minute apart, whose values go from 0 to 9 again and again; made by the server itself. */
export async function fillWithReadings(client: Client, { collection, part, item }: { readonly collection: string; readonly part: string; readonly item: string }, count: number): Promise<void> {
  await client.query(`insert into document_readings (collection, part, item, ts, bytes, doc)
    select $1::text, $2::text, $3::text, at, 150, jsonb_build_object('_ts', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '_tsMetadata', jsonb_build_object('_telItemId', $3::text, '_sourceId', 'source'), 'value', n % 10)
    from (select n, timestamptz '2020-01-01T00:00:00Z' + n * interval '1 minute' as at from generate_series(0, $4::int - 1) as n) as minutes`, [collection, part, item, count]);
}
