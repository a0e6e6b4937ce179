import type { Logger } from '@twinyard/service-kit';
import { JobStopped, type StopReason } from '../held-job';
import type { Hold, JobStore } from '../store/job-store';
import { within } from './within';

/** A claim that this process works under. */
export class Lease implements Hold {
  readonly id: string;
  readonly token: number;
  private readonly controller = new AbortController();
  /** Monotonic. By this side's clock no later than by the store's. */
  private until: number;
  private settled = false;
  private lost = false;

  constructor({ id, token }: Hold, claimedAt: number, readonly leaseMs: number) {
    this.id = id;
    this.token = token;
    this.until = claimedAt + leaseMs;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get heldUntil(): number {
    return this.until;
  }

  /** Why its worker was told to stop first. */
  get stopped(): StopReason | undefined {
    return (this.signal.reason as JobStopped | undefined)?.reason;
  }

  get isLost(): boolean {
    return this.lost;
  }

  /** What becomes of the job is written, or being written. */
  get isSettled(): boolean {
    return this.settled;
  }

  settle(): void {
    this.settled = true;
  }

  renewed(sentAt: number): void {
    this.until = sentAt + this.leaseMs;
  }

  stop(reason: StopReason): void {
    if (reason === 'lost') this.lost = true;
    if (!this.signal.aborted) this.controller.abort(new JobStopped(reason));
  }
}

/** Renews the leases of what one process has in hand of one kind, and stops those who work under one that is lost. */
export class LeaseKeeper {
  private readonly leases = new Set<Lease>();
  private heart: NodeJS.Timeout | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private isBeating = false;

  constructor(
    private readonly store: JobStore,
    private readonly leaseMs: number,
    private readonly logger: Logger,
  ) {}

  /** `claimedAt`: monotonic time before the claim was sent. */
  keep(hold: Hold, claimedAt: number): Lease {
    const lease = new Lease(hold, claimedAt, this.leaseMs);
    this.leases.add(lease);
    this.heart ??= setInterval(() => void this.beat(), this.leaseMs / 3);
    if (this.watchdog === undefined) this.watch();
    return lease;
  }

  letGo(lease: Lease): void {
    this.leases.delete(lease);
    if (this.leases.size > 0) return;
    clearInterval(this.heart);
    clearTimeout(this.watchdog);
    this.heart = this.watchdog = undefined;
  }

  private async beat(): Promise<void> {
    const held = [...this.leases].filter(({ isLost }) => !isLost);
    if (this.isBeating || held.length === 0) return;
    this.isBeating = true;
    const sentAt = performance.now();
    try {
      // An answer that does not come, over a line that is dead without a word, is not waited for: the next beat takes another.
      const lost = await within(this.leaseMs, this.store.renew(held, this.leaseMs));
      for (const lease of held) {
        if (lost.has(lease.id)) lease.stop('lost');
        else lease.renewed(sentAt);
      }
    } catch (error) {
      // The watchdog counts on.
      this.logger.warn({ err: error }, 'leases of jobs cannot be renewed right now');
    } finally {
      this.isBeating = false;
    }
  }

  /** Whoever cannot renew stops before another worker may begin. */
  private watch(): void {
    const now = performance.now();
    let next = now + this.leaseMs;
    for (const lease of this.leases) {
      if (lease.heldUntil <= now) lease.stop('lost');
      else next = Math.min(next, lease.heldUntil);
    }
    this.watchdog = setTimeout(() => this.watch(), Math.max(1, next - now));
  }
}
