/** In ms, of seconds or of a date (RFC 9110 section 10.2.3); `undefined` where neither is written. */
export function retryAfterMs(written: string, now = Date.now()): number | undefined {
  const text = written.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  // All three forms of a date begin with the day of the week.
  const at = /^[a-z]{3,9},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
