import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const WINDOW = `interval '1 minute'`;

export interface AttemptCount {
  /** Of the minute that began with the first of them. */
  readonly count: number;
  /** Until it ends. */
  readonly seconds: number;
}

/** Counts by the minute for all replicas, in one statement: none of many at the same moment is lost. */
@Injectable()
export class AttemptCountsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async add(key: string): Promise<AttemptCount> {
    const [row] = await this.dataSource.query<AttemptCount[]>(
      `INSERT INTO attempt_count AS a (key, count, since) VALUES ($1, 1, now())
       ON CONFLICT (key) DO UPDATE SET
         count = CASE WHEN a.since > now() - ${WINDOW} THEN a.count + 1 ELSE 1 END,
         since = CASE WHEN a.since > now() - ${WINDOW} THEN a.since ELSE now() END
       RETURNING count, greatest(1, ceil(extract(epoch FROM since + ${WINDOW} - now())))::int AS seconds`,
      [key],
    );
    return row as AttemptCount;
  }

  async sweep(): Promise<void> {
    await this.dataSource.query(`DELETE FROM attempt_count WHERE since < now() - ${WINDOW}`);
  }
}
