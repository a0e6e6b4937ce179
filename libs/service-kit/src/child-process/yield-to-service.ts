import { constants, setPriority } from 'node:os';

/** Whoever waits for an answer of the service goes before what this process does. */
export function yieldToService(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It works all the same.
  }
}
