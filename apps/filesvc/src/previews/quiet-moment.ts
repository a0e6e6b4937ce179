import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** The part of its time that a service is at work from which on it counts as busy. Pictures alone, one after the other, keep it below. */
const BUSY = 0.3;
const LOOK_MS = 50;
/** So long it is taken for quiet, and not looked again: what is done in it would itself seem like answers. */
const MOMENT_MS = 200;
/** What was seen longer ago tells nothing about now. */
const STALE_MS = 1_000;

/** Lets what nobody waits for give way to what somebody does: answers, while the event loop of this process is busy with them. */
export class QuietMoment {
  private seen = performance.eventLoopUtilization();
  private seenAt = performance.now();
  private quietUntil = 0;

  /** `patienceMs`: what gives way always would never be done on a service that is always busy. */
  constructor(private readonly patienceMs: number, private readonly momentMs = MOMENT_MS) {}

  /** Resolves when the service has time to spare, at the latest when the patience is at an end; at once when `isOver` says so. */
  async wait(isOver: () => boolean): Promise<void> {
    const began = performance.now();
    if (began < this.quietUntil) return;
    let isQuiet = began - this.seenAt < STALE_MS && this.look();
    while (!isQuiet && !isOver() && performance.now() - began < this.patienceMs) {
      this.look();
      await delay(LOOK_MS);
      isQuiet = this.look();
    }
    if (isQuiet) this.quietUntil = performance.now() + this.momentMs;
  }

  /** Whether it had, since the last look. */
  private look(): boolean {
    const { utilization } = performance.eventLoopUtilization(this.seen);
    this.seen = performance.eventLoopUtilization();
    this.seenAt = performance.now();
    return utilization < BUSY;
  }
}
