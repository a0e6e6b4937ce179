import { Injectable } from '@nestjs/common';
import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { type RunLogRecord, toLogLine } from './run-log';

@Injectable()
export class RunLogsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Oldest first, as far as an answer goes; for a run that the caller was found to see. */
  async list(runId: string, { offset, pageSize }: Paging): Promise<Slice<RunLogRecord>> {
    const most = answerBytesOf(this.dataSource);
    const [count] = await this.dataSource.query<{ total: string }[]>('SELECT count(*) AS total FROM orchestrator_run_log WHERE run_id = $1', [runId]);
    // No more comes into memory than an answer may weigh, and one message.
    const rows = await this.dataSource.query<RunLogRecord[]>(
      `SELECT at, level, message FROM (
         SELECT page.*, sum(octet_length(message)) OVER (ORDER BY position) - octet_length(message) AS ahead
         FROM (SELECT * FROM orchestrator_run_log WHERE run_id = $1 ORDER BY position LIMIT $2 OFFSET $3) page) weighed
       WHERE ahead < $4 ORDER BY position`,
      [runId, pageSize, offset, most],
    );
    const total = Number(count?.total);
    const light = lightSlice({ rows: rows.map((row) => JSON.stringify(toLogLine(row))), total }, most);
    return { rows: rows.slice(0, light.rows.length), total };
  }
}
