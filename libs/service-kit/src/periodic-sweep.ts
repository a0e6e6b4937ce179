import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from './logging/logger';

export interface SweepTerms {
  readonly everyMs: number;
  /** The first at the start, not after `everyMs`. */
  readonly atStart?: boolean;
  /** What the log says of a sweep that failed; the next one tries again. */
  readonly complaint: string;
}

/** Clears away what has had its time, again and again, one sweep at a time, until the service stops. */
export abstract class PeriodicSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Told to end: a sweep looks at it between its steps. */
  protected stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  protected constructor(private readonly terms: SweepTerms, private readonly log: Logger) {}

  /** Removes what is over at `now`, in ms. */
  abstract sweep(now: number): Promise<unknown>;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.nudge(), this.terms.everyMs).unref();
    if (this.terms.atStart === true) this.nudge();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Sweeps soon: at once, or after the sweep that goes on. */
  nudge(): void {
    if (this.stopped) return;
    this.sweeping = this.sweeping
      .then(() => this.sweep(Date.now()))
      .catch((error: unknown) => this.log.warn({ err: error }, this.terms.complaint));
  }
}
