import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@twinyard/conventions';
import type { PaceTerms } from '@twinyard/service-kit';

/**
 * Whether a sender keeps up: one that sends a byte now and then is not silent, and holds a line, a lease and a place in the store for
 * weeks. Only the time counts in which it was waited for.
 */
export class SenderPace {
  private since = performance.now();
  private waitedMs = 0;
  private bytes = 0;

  constructor(private readonly request: IncomingMessage, private readonly terms: PaceTerms) {}

  /** From now on it is waited for. */
  wait(): void {
    this.since = performance.now();
  }

  /** It has sent something. Why it is listened to no longer, if so: then its line is cut in a while, whatever it goes on to send. */
  heard(bytes: number): ServiceError | undefined {
    const now = performance.now();
    this.waitedMs += now - this.since;
    this.bytes += bytes;
    this.since = now;
    const { silenceMs, leastBytesPerSecond } = this.terms;
    if (this.waitedMs < silenceMs) return undefined;
    const isSlow = this.bytes * 1_000 < leastBytesPerSecond * this.waitedMs;
    this.waitedMs = this.bytes = 0;
    if (!isSlow) return undefined;
    setTimeout(() => this.request.destroy(), silenceMs).unref();
    return new ServiceError('request_timeout', `Less than ${leastBytesPerSecond} bytes a second have come for ${silenceMs / 1_000} s`);
  }
}
