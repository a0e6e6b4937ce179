import { z } from 'zod';

const seconds = (fallback: number) => z.coerce.number().int().min(1).max(3_600).default(fallback);

/** What callers are held to on their lines: the same words and the same rules in the gateway and in every service. */
export const lineSettings = {
  HEAD_SECONDS: seconds(15).describe('How long the head of a request may take from its first byte, or from the connection; then 408'),
  LINE_SILENCE_SECONDS: seconds(30).describe('How long a caller may send nothing of a body that is waited for (then 408), or take nothing of an answer that waits for it; then its line is cut'),
  LINE_MIN_BYTES_PER_SECOND: z.coerce.number().int().min(0).default(100).describe('What a caller has to send of a body, or take of an answer, while it is waited for, on the average of `LINE_SILENCE_SECONDS`. 0: any'),
  SMALL_BODY_SECONDS: seconds(120).describe('How long 64 KB of a body may take on the average of the whole, and a smaller body as a whole; then 408'),
  REQUESTS_PER_CALLER: z.coerce.number().int().min(1).default(1_024).describe('Requests that one address (of IPv6: one /64) may have open at the same time; more are answered 429'),
};

/** How a process that listens is stopped, by SIGTERM: a gateway and a service alike. */
export const stopSettings = {
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(5)
    .describe('How long a process that is told to stop (SIGTERM) goes on answering while it says that it is not ready: longer than it takes those who route to it to hear of that, and than a connection is kept that nothing comes by (4 s)'),
};

/** The same in milliseconds, as those that watch lines take it. */
export interface LineTerms {
  readonly headMs: number;
  readonly silenceMs: number;
  readonly leastBytesPerSecond: number;
  readonly smallBodyMs: number;
  readonly requestsPerCaller: number;
}

export type LineSettings = { readonly [name in keyof typeof lineSettings]: number };

export const lineTermsOf = (settings: LineSettings): LineTerms => ({
  headMs: settings.HEAD_SECONDS * 1_000,
  silenceMs: settings.LINE_SILENCE_SECONDS * 1_000,
  leastBytesPerSecond: settings.LINE_MIN_BYTES_PER_SECOND,
  smallBodyMs: settings.SMALL_BODY_SECONDS * 1_000,
  requestsPerCaller: settings.REQUESTS_PER_CALLER,
});
