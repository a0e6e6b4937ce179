import { type LineSettings, SMALL_BODY_BYTES } from '@twinyard/service-kit';

/** What the other side has to send while it is waited for. */
export interface SenderPace {
  /** So long it may send nothing. */
  readonly silenceMs: number;
  /** On the average of the time that it is waited for, `silenceMs` of it at least. */
  readonly leastBytesPerSecond: number;
}

export interface AnswerFileBounds {
  /** Unpacked. */
  readonly mostBytes: number;
  readonly pace: SenderPace;
}

type Lines = Pick<LineSettings, 'LINE_SILENCE_SECONDS' | 'LINE_MIN_BYTES_PER_SECOND' | 'SMALL_BODY_SECONDS'>;

/** What comes is sent on to filesvc, which cuts senders that are slow. Twice as fast as it wants them, so that the one who is slow is cut, and named. */
export const answerFileBounds = (megabytes: number, { LINE_SILENCE_SECONDS, LINE_MIN_BYTES_PER_SECOND, SMALL_BODY_SECONDS }: Lines): AnswerFileBounds => ({
  mostBytes: megabytes * 1024 ** 2,
  pace: { silenceMs: LINE_SILENCE_SECONDS * 500, leastBytesPerSecond: 2 * Math.max(LINE_MIN_BYTES_PER_SECOND, SMALL_BODY_BYTES / SMALL_BODY_SECONDS) },
});
