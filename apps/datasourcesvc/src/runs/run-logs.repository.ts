import { Injectable } from '@nestjs/common';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';

export interface RunLogRecord {
  readonly at: Date;
  readonly level: string;
  readonly message: string;
}

/** Far above what components write; a log that is longer is answered to here. */
const MAX_RECORDS = 100_000;

@Injectable()
export class RunLogsRepository {
  constructor(private readonly unitOfWork: TypeOrmUnitOfWork) {}

  /** For a run that the caller was found to see. */
  listOf(runId: string): Promise<RunLogRecord[]> {
    return this.unitOfWork.run((tx) =>
      tx.query<RunLogRecord>('SELECT at, level, message FROM orchestrator_run_log WHERE run_id = $1 ORDER BY position LIMIT $2', [runId, MAX_RECORDS]));
  }
}
