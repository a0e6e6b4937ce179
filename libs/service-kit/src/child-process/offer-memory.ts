import { writeFileSync } from 'node:fs';

/** When the machine runs out of memory, this process goes first, not the service. */
export function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux knows it.
  }
}
