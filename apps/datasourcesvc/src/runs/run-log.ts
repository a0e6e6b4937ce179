import type { RunLogRecord } from './run-logs.repository';

/** Newline-separated JSON records; the first also says whose they are, the last of an ended run that it is the last. */
export function toLogText(runId: string, records: readonly RunLogRecord[], ended: boolean): string {
  return records
    .map(({ at, level, message }, index) => ({
      level, message, timestamp: at.toISOString(),
      ...(index === 0 && { orchRunId: runId }),
      ...(ended && index === records.length - 1 && { end: true }),
    }))
    .map((record) => JSON.stringify(record))
    .join('\n');
}
