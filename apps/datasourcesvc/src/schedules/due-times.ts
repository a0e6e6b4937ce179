import { Cron } from 'croner';
import { parseInterval } from '../orchestrators/run-interval';
import { instantOf, latestShown } from './wall-clock';

/** When a schedule is due: in even steps, or by the clocks of a zone. */
export type Timing = { readonly everyMs: number } | { readonly cron: string; readonly timezone: string };

const LEAST_MS = 1_000;

/** Five fields or six, of what all versions of cron know; the library would take more than the contract does. */
const CRON = /^\s*[\w*,/#-]+(?:\s+[\w*,/#-]+){4,5}\s*$/;

/** `undefined` for text of another form, and for less than a second. */
export function parseRunInterval(text: string): number | undefined {
  const ms = parseInterval(text, Number.POSITIVE_INFINITY);
  return ms !== undefined && ms >= LEAST_MS ? ms : undefined;
}

/** Whether it is a pattern of cron, and comes some day. */
export function isCron(cron: string): boolean {
  if (!CRON.test(cron)) return false;
  try {
    return shownAfter(cron, Date.now()) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The first due time behind `after`; `undefined`: there is none any more. Steps are counted from `anchor`. By clocks (contract 5) a time that they skip is
 * the moment in which they do, and of one that they show twice the first counts.
 */
export function dueAfter(timing: Timing, after: Date, anchor: Date): Date | undefined {
  if ('cron' in timing) return dueByClock(timing, after.getTime());
  const { everyMs } = timing;
  const steps = Math.floor((after.getTime() - anchor.getTime()) / everyMs) + 1;
  return new Date(anchor.getTime() + steps * everyMs);
}

/** The library goes by clocks that neither skip nor repeat: what those of the zone do, its versions see differently. */
function dueByClock({ cron, timezone }: Extract<Timing, { cron: string }>, after: number): Date | undefined {
  let shown = shownAfter(cron, latestShown(after, timezone));
  while (shown !== undefined) {
    const at = instantOf(shown, timezone);
    if (at > after) return new Date(at);
    shown = shownAfter(cron, shown);
  }
  return undefined;
}

/** @throws Error for what is no pattern */
const shownAfter = (cron: string, shown: number): number | undefined => new Cron(cron, { timezone: 'UTC' }).nextRun(new Date(shown))?.getTime();
