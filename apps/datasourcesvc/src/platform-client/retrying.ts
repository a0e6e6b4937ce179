import { setTimeout as delay } from 'node:timers/promises';
import { PassingFailure, PlatformError } from './platform-error';

export interface RetryTimes {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** After this the failure counts. Long enough for a service to come back from a kill. */
  readonly giveUpAfterMs: number;
}

export const RETRY_TIMES: RetryTimes = { firstDelayMs: 100, longestDelayMs: 5_000, giveUpAfterMs: 90_000 };

/** Does work again, with backoff, for as long as it fails with a PassingFailure. The work must do nothing twice. */
export async function retrying<T>(work: () => Promise<T>, signal: AbortSignal, times: RetryTimes = RETRY_TIMES): Promise<T> {
  const startedAt = performance.now();
  for (let wait = times.firstDelayMs; ; wait = Math.min(wait * 2, times.longestDelayMs)) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PassingFailure)) throw error;
      if (performance.now() - startedAt > times.giveUpAfterMs) throw new PlatformError(error.message);
      await delay(error.retryAfterMs ?? wait, undefined, { signal });
    }
  }
}
