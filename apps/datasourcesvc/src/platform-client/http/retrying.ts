import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_STATUS } from '@twinyard/conventions';
import { PassingFailure, PlatformError } from '../platform-error';

export interface RetryTimes {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** After this the failure counts. Long enough for a service to come back from a kill. */
  readonly giveUpAfterMs: number;
}

export const RETRY_TIMES: RetryTimes = { firstDelayMs: 100, longestDelayMs: 5_000, giveUpAfterMs: 90_000 };

/** Does work again, with backoff, for as long as it fails with a PassingFailure. The work must do nothing twice. What may take long says `onward` when it has got further than before. */
export async function retrying<T>(work: (onward: () => void) => Promise<T>, signal: AbortSignal, times: RetryTimes = RETRY_TIMES): Promise<T> {
  let startedAt = performance.now();
  const onward = () => (startedAt = performance.now());
  for (let wait = times.firstDelayMs; ; wait = Math.min(wait * 2, times.longestDelayMs)) {
    signal.throwIfAborted();
    try {
      return await work(onward);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PassingFailure)) throw error;
      if (performance.now() - startedAt > times.giveUpAfterMs) throw new PlatformError(error.message, ERROR_STATUS.unavailable, 'unavailable');
      await delay(error.retryAfterMs ?? wait, undefined, { signal });
    }
  }
}
