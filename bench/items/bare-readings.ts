import { Pool } from 'pg';
import type { SampleReading } from './sample-reading';

/** Where the service keeps the series of a collection's version, for loading what the API would take too long for. */
export interface Series {
  readonly collection: string;
  readonly part: string;
}

/** The same work with the driver and nothing else: a table of readings on the same server. */
export class BareReadings {
  private readonly pool: Pool;

  constructor(url: string) {
    this.pool = new Pool({ connectionString: url, max: 2 });
  }

  async create(): Promise<void> {
    await this.pool.query('create table if not exists bare_readings (item text not null, ts timestamptz not null, doc jsonb not null, primary key (item, ts))');
  }

  /** What is there is replaced, as the contract says. */
  async insert(readings: readonly SampleReading[]): Promise<void> {
    await this.pool.query(
      `insert into bare_readings select * from unnest($1::text[], $2::timestamptz[], $3::jsonb[]) on conflict (item, ts) do update set doc = excluded.doc`,
      [readings.map(({ _tsMetadata }) => _tsMetadata._telItemId), readings.map(({ _ts }) => _ts), readings.map((reading) => JSON.stringify(reading))],
    );
  }

  /** `each` readings of every item, the first at `from`, one every `stepMs`, into the table of the service. */
  async load({ collection, part }: Series, items: readonly { readonly id: string; readonly sourceId: string }[], { from, stepMs, each }: { readonly from: string; readonly stepMs: number; readonly each: number }): Promise<void> {
    const chunk = 20;
    for (let first = 0; first < items.length; first += chunk) {
      const some = items.slice(first, first + chunk);
      await this.pool.query(
        `insert into document_readings (collection, part, item, ts, bytes, doc)
         select $1, $2, s.id, r.ts, 140, jsonb_build_object('_ts', to_char(r.ts at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           '_tsMetadata', jsonb_build_object('_telItemId', s.id, '_sourceId', s.source), 'temperature', round((20 + 5 * sin(r.n))::numeric, 2), 'humidity', 40 + r.n % 20)
         from unnest($3::text[], $4::text[]) s(id, source), lateral (select n, $5::timestamptz + n * ($6 || ' ms')::interval as ts from generate_series(0, $7::int - 1) n) r
         on conflict do nothing`,
        [collection, part, some.map(({ id }) => id), some.map(({ sourceId }) => sourceId), from, String(stepMs), each],
      );
    }
    await this.pool.query('vacuum analyze document_readings');
  }

  /** Buckets of the same rows by SQL that is written for them. */
  async buckets({ collection, part }: Series, unit: 'day' | 'hour', { item, from, to }: { readonly item?: string; readonly from: string; readonly to: string }): Promise<readonly { at: Date; mean: number }[]> {
    const { rows } = await this.pool.query<{ at: Date; mean: number }>(
      `select date_trunc('${unit}', ts, 'UTC') as at, avg((doc ->> 'temperature')::float8) as mean, min((doc ->> 'temperature')::float8) as least, max((doc ->> 'temperature')::float8) as most
       from document_readings where collection = $1 and part = $2 and ts >= $3 and ts < $4${item === undefined ? '' : ' and item = $5'} group by 1 order by 1`,
      [collection, part, from, to, ...(item === undefined ? [] : [item])],
    );
    return rows;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
