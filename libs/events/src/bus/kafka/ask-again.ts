import { setTimeout as delay } from 'node:timers/promises';

/** After this time no further attempt is begun: as long as two requests that a broker leaves without an answer. */
export const ASK_MS = 20_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/**
 * Does work that may be done twice again while Kafka says that the error passes by itself, as when a partition has just got its leader, or
 * another one. The client does so for some of its requests only.
 */
export async function askAgain<T>(work: () => Promise<T>, withinMs = ASK_MS): Promise<T> {
  const until = Date.now() + withinMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!passesByItself(error) || Date.now() + waitMs > until) throw error;
    }
    await delay(waitMs);
  }
}

/** What the client itself makes of an answer that passes, and marks as if it did not. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set([
  // The topic of committed offsets is being made, or has no leader yet.
  'KafkaJSGroupCoordinatorNotFound',
  // Others of the same client wait for a broker that takes its time.
  'KafkaJSLockTimeout',
]);
const TRIED_OFTEN = 'KafkaJSNumberOfRetriesExceeded';
const ALREADY_MADE = 'TOPIC_ALREADY_EXISTS';
const GONE = 'UNKNOWN_TOPIC_OR_PARTITION';

/**
 * As the protocol's table of error codes has it. What the client has tried often enough is over when nobody answered; a broker that has
 * answered each time may take longer than the client's few tries.
 */
export function passesByItself(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, retriable, type, errors, cause } = error as Error & { retriable?: unknown; type?: unknown; errors?: unknown; cause?: unknown };
  if (Array.isArray(errors)) return errors.every(passesByItself);
  if (name === TRIED_OFTEN) return cause instanceof Error && 'type' in cause && cause.type !== GONE && passesByItself(cause);
  return retriable === true || type === ALREADY_MADE || SAID_OTHERWISE.has(name);
}
