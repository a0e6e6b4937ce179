import { dueAfter, type Timing } from '../due-times';
import type { CatchUp } from '../schedule.entity';

/** A time that passed longer ago was missed: who takes over from a worker that died comes sooner. */
const MISSED_MS = 60_000;
/** Contract 5, of those that were missed; of the others as many at a time. */
const MOST = 20;

export interface DueTimes {
  /** Each is to have its run, the earliest first. */
  readonly due: readonly Date[];
  /** With which to go on; it may have passed. Missing: nothing comes any more. */
  readonly behind: Date | undefined;
}

/** What is due by now, of a schedule whose next due time is `next`. */
export function dueTimes(timing: Timing, catchUp: CatchUp, next: Date, now: Date): DueTimes {
  if (next.getTime() > now.getTime()) return { due: [], behind: next };
  if (now.getTime() - next.getTime() < MISSED_MS) return onTime(timing, next, now);
  const afterwards = dueAfter(timing, now, next);
  switch (catchUp) {
    case 'ONE': return { due: [next], behind: afterwards };
    case 'ALL': return { due: onTime(timing, next, now).due, behind: afterwards };
    case 'NONE': {
      const first = dueAfter(timing, new Date(now.getTime() - MISSED_MS), next);
      return first === undefined || first.getTime() > now.getTime() ? { due: [], behind: first } : onTime(timing, first, now);
    }
  }
}

/** From `first` on, which has passed. */
function onTime(timing: Timing, first: Date, now: Date): DueTimes {
  const due: Date[] = [];
  let next: Date | undefined = first;
  while (next !== undefined && next.getTime() <= now.getTime() && due.length < MOST) {
    due.push(next);
    next = dueAfter(timing, next, next);
  }
  return { due, behind: next };
}
