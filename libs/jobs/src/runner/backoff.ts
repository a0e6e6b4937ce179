import type { RetryPolicy } from '../job';

/** Doubles from attempt to attempt; somewhere in the upper half, so that what failed together does not come back together. */
export function backoffMs({ firstMs, longestMs }: RetryPolicy, attempt: number, random = Math.random()): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full * (0.5 + random / 2));
}
