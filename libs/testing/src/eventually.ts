import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/**
 * Asks again until `check` neither throws nor answers `false` or `null`; resolves with its answer (a check made of `expect`s
 * answers nothing, and that is enough). When the time is up the last failure is thrown: that is for what never happens, not for what
 * a busy machine does late.
 */
export async function eventually<T>(check: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<T> {
  const { timeoutMs = 60_000, everyMs = 25 } = options;
  const deadline = Date.now() + timeoutMs;
  let failure: unknown;
  do {
    try {
      const answer = await check();
      if (answer !== false && answer !== null) return answer;
      failure = new Error(`the check still answers ${String(answer)}`);
    } catch (error) {
      failure = error;
    }
    await delay(everyMs);
  } while (Date.now() < deadline);
  throw withTime(failure, timeoutMs);
}

function withTime(failure: unknown, timeoutMs: number): Error {
  const error = failure instanceof Error ? failure : new Error(String(failure));
  error.message = `not within ${timeoutMs} ms: ${error.message}`;
  return error;
}
