import { doubledWait } from '@twinyard/conventions';
import type { RetryPolicy } from '../event-bus';

interface Retry {
  readonly offset: string;
  readonly attempts: number;
  readonly dueAt: number;
}

const TRANSIENT_RETRY_MS = 1_000;

/** The event that each partition waits for: how often it has failed and when it is due again. A member that takes over begins anew. */
export class PartitionRetries {
  private readonly retries = new Map<string, Retry>();

  constructor(private readonly policy: RetryPolicy) {}

  /** How long the partition has to wait yet. */
  waitMs(topic: string, partition: number): number {
    return Math.max(0, (this.retries.get(`${topic}/${partition}`)?.dueAt ?? 0) - Date.now());
  }

  /** The event has failed; when it may be tried again, or nothing when that was the last time. */
  failed(topic: string, partition: number, offset: string): number | undefined {
    const before = this.retries.get(`${topic}/${partition}`);
    const attempts = (before?.offset === offset ? before.attempts : 0) + 1;
    if (attempts >= this.policy.attempts) return undefined;
    const waitMs = doubledWait({ firstMs: this.policy.delayMs, longestMs: this.policy.maxDelayMs }, attempts - 1);
    this.retries.set(`${topic}/${partition}`, { offset, attempts, dueAt: Date.now() + waitMs });
    return waitMs;
  }

  /** Not the event's fault: it counts for nothing. */
  postponed(topic: string, partition: number, offset: string): number {
    const before = this.retries.get(`${topic}/${partition}`);
    const waitMs = Math.min(TRANSIENT_RETRY_MS, this.policy.maxDelayMs);
    this.retries.set(`${topic}/${partition}`, { offset, attempts: before?.offset === offset ? before.attempts : 0, dueAt: Date.now() + waitMs });
    return waitMs;
  }

  passed(topic: string, partition: number): void {
    this.retries.delete(`${topic}/${partition}`);
  }
}
