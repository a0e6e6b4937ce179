import { RegisteredOrigins } from '@twinyard/service-kit';
import type { PassportClient } from './passport-client';

const KEEP_MS = 5_000;

/** Origins that applications register, asked of passportsvc at most every five seconds. */
export class PassportOrigins extends RegisteredOrigins {
  private origins: ReadonlySet<string> = new Set();
  private askedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly passport: PassportClient) {
    super();
  }

  override async has(origin: string): Promise<boolean> {
    if (performance.now() - this.askedAt > KEEP_MS) await this.refresh();
    return this.origins.has(origin);
  }

  private async refresh(): Promise<void> {
    this.askedAt = performance.now();
    try {
      this.origins = new Set((await this.passport.origins()).origins);
    } catch {
      // An outage of passportsvc keeps the origins that were known; the request itself is refused by the guard.
    }
  }
}
