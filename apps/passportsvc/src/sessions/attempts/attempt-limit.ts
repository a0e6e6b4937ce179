import { Injectable } from '@nestjs/common';
import { type AttemptCount, AttemptCountsRepository } from './attempt-counts.repository';

const MAX_REFUSED = 10_000;
const MINUTE_SECONDS = 60;

/** So many attempts in a minute, whichever replica meets them. One that was refused here asks the database no more until its minute is over. */
@Injectable()
export class AttemptLimit {
  /** When they may try again, in ms. */
  private readonly refused = new Map<string, number>();

  constructor(private readonly counts: AttemptCountsRepository) {}

  /** Seconds to wait; 0 when this attempt may go on, which then counts. */
  async take(key: string, perMinute: number): Promise<number> {
    const waiting = this.secondsLeft(key);
    if (waiting > 0) return waiting;
    const [{ count, seconds }] = (await this.counts.add([key], MINUTE_SECONDS)) as [AttemptCount];
    if (count <= perMinute) return 0;
    this.refuse(key, seconds);
    return seconds;
  }

  private secondsLeft(key: string): number {
    const until = this.refused.get(key);
    if (until === undefined) return 0;
    const seconds = Math.ceil((until - Date.now()) / 1_000);
    if (seconds <= 0) this.refused.delete(key);
    return Math.max(0, seconds);
  }

  private refuse(key: string, seconds: number): void {
    this.refused.set(key, Date.now() + seconds * 1_000);
    if (this.refused.size > MAX_REFUSED) this.refused.delete(this.refused.keys().next().value as string);
  }
}
