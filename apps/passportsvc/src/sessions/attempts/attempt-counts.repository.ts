import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface AttemptCount {
  readonly key: string;
  /** Of the time that began with the first of them. */
  readonly count: number;
  /** Until it ends. */
  readonly seconds: number;
}

/** A transaction, or none. */
interface Queries {
  query<Row>(sql: string, parameters: unknown[]): Promise<Row[]>;
}

const ADD = `
  INSERT INTO attempt_count AS a (key, count, since, ends_at)
  SELECT key, 1, now(), now() + $2 * interval '1 second' FROM unnest($1::text[]) key ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN a.ends_at > now() THEN a.count + 1 ELSE 1 END,
    since = CASE WHEN a.ends_at > now() THEN a.since ELSE now() END,
    ends_at = CASE WHEN a.ends_at > now() THEN a.ends_at ELSE excluded.ends_at END
  RETURNING key, count, greatest(1, ceil(extract(epoch FROM ends_at - now())))::int AS seconds`;

/** Counts within a time for all replicas, in one statement: none of many at the same moment is lost. */
@Injectable()
export class AttemptCountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Each key once. Of a transaction: what it is rolled back with. */
  async add(keys: readonly string[], withinSeconds: number, queries: Queries = this.dataSource): Promise<AttemptCount[]> {
    return queries.query<AttemptCount>(ADD, [keys, withinSeconds]);
  }

  async sweep(): Promise<void> {
    await this.dataSource.query('DELETE FROM attempt_count WHERE ends_at < now()');
  }
}
