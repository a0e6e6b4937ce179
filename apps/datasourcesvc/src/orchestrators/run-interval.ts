/** `"<hours> <minutes> <seconds>"`, `*` for 0 (contract 5): the form of `_timeout` and of a schedule's `runinterval`. */
const PATTERN = /^\s*(\*|\d{1,4})\s+(\*|\d{1,6})\s+(\*|\d{1,8})\s*$/;
/** What a timer can hold: 24 days. */
const TIMER_MS = 2_147_483_647;

/** `undefined` for text of another form, and for more than `mostMs`. */
export function parseInterval(text: string, mostMs = TIMER_MS): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds] = match.slice(1).map((part) => (part === '*' ? 0 : Number(part))) as [number, number, number];
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return ms <= mostMs ? ms : undefined;
}
