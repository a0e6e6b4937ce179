import type { Slice } from '@twinyard/conventions';

export interface RunLogRecord {
  readonly at: Date;
  readonly level: string;
  readonly message: string;
}

interface AnsweredLog {
  readonly runId: string;
  /** How many records lie before those that are answered. */
  readonly offset: number;
  readonly hasEnded: boolean;
}

export const toLogLine = ({ at, level, message }: RunLogRecord) => ({ level, message, timestamp: at.toISOString() });

/**
 * Newline-separated JSON records; the first also says whose they are, the last of an ended run that it is the last. Where the log goes on, one more record says
 * from where to ask; it counts as the last, so that whoever waits for that one comes to an end.
 */
export function toLogText({ rows, total }: Slice<RunLogRecord>, { runId, offset, hasEnded }: AnsweredLog): string {
  const [last, next] = [rows.at(-1), offset + rows.length];
  const lines: readonly object[] = [...rows.map(toLogLine), ...(last !== undefined && next < total ? [leftOut(last, next, total)] : [])];
  return lines
    .map((line, index) => ({ ...line, ...(index === 0 && { orchRunId: runId }), ...(hasEnded && index === lines.length - 1 && { end: true }) }))
    .map((line) => JSON.stringify(line))
    .join('\n');
}

const leftOut = ({ at }: RunLogRecord, next: number, total: number) => ({
  ...toLogLine({ at, level: 'warn', message: `${total - next} more records: ask for them with _offset=${next}` }), _offset: next,
});
