import { Injectable } from '@nestjs/common';
import type { Paging, Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice } from '@twinyard/service-kit';
import { DataSource } from 'typeorm';
import { type RunLogRecord, toLogLine } from './run-log';
import type { RunState } from './run-state';

export interface PlacedRecord extends RunLogRecord {
  /** Ascending within a run, and so told to nobody: it counts the records of all. */
  readonly place: number;
}

/** How far the log of a run has come, and who may know. */
export interface LogHead {
  readonly runId: string;
  readonly state: RunState;
  readonly namespaces: readonly string[];
  readonly orchestratorId: string;
  /** The place of its last record; 0 without any. */
  readonly last: number;
}

/** That are told at a time. */
const [MOST_RECORDS, MOST_BYTES] = [500, 64 * 1024];

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

  /** Of one moment: a run that has ended writes nothing more. Those that are gone are missing. */
  heads(runIds: readonly string[]): Promise<LogHead[]> {
    return this.dataSource.query<LogHead[]>(
      `SELECT id AS "runId", state, namespaces, orchestrator_id AS "orchestratorId",
         coalesce((SELECT max(position) FROM orchestrator_run_log WHERE run_id = run.id), 0)::float8 AS last
       FROM orchestrator_run run WHERE id = ANY($1::uuid[])`, [runIds],
    );
  }

  /** The place of the record that is the so manieth of its run. */
  async placeOf(runId: string, nth: number): Promise<number | undefined> {
    const [row] = await this.dataSource.query<{ place: number }[]>(
      'SELECT position::float8 AS place FROM orchestrator_run_log WHERE run_id = $1 ORDER BY position LIMIT 1 OFFSET $2', [runId, nth - 1]);
    return row?.place;
  }

  /** Records behind a place and up to that head, oldest first: some, by their number and by what they weigh. */
  between(place: number, { runId, last }: LogHead): Promise<PlacedRecord[]> {
    return this.dataSource.query<PlacedRecord[]>(
      `SELECT position::float8 AS place, at, level, message FROM (
         SELECT page.*, sum(octet_length(message)) OVER (ORDER BY position) - octet_length(message) AS ahead
         FROM (SELECT * FROM orchestrator_run_log WHERE run_id = $1 AND position > $2 AND position <= $3 ORDER BY position LIMIT $4) page) weighed
       WHERE ahead < $5 ORDER BY position`, [runId, place, last, MOST_RECORDS, MOST_BYTES],
    );
  }
}
