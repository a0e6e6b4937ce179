import { doubledWait } from '@twinyard/conventions';
import type { RetryPolicy } from '../job';

/** Doubles from attempt to attempt; somewhere in the upper half, so that what failed together does not come back together. */
export function backoffMs(policy: RetryPolicy, attempt: number, random = Math.random()): number {
  return Math.round(doubledWait(policy, attempt - 1) * (0.5 + random / 2));
}
