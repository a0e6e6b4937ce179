import type { RunState } from '../runs/run-state';

/** A claim of a run. The token grows with every claim: writes that carry an old one are refused, so a lost lease writes nothing. */
export interface LeaseKey {
  readonly runId: string;
  readonly token: string;
}

export class LeaseLost extends Error {
  constructor({ runId }: LeaseKey) {
    super(`The run ${runId} is held by another worker, or is gone`);
    this.name = 'LeaseLost';
  }
}

export type StopKind = 'cancelled' | 'timeout' | 'lost' | 'shutdown';

/** Why the signal of a lease was aborted. */
export class RunStopped extends Error {
  constructor(readonly kind: StopKind) {
    super(`The run was stopped: ${kind}`);
    this.name = 'RunStopped';
  }
}

export interface LeaseTimes {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
}

/** Renews the lease in the store; `undefined` when it is not this worker's any more. */
export type Renew = (key: LeaseKey) => Promise<RunState | undefined>;

/** Keeps a claim alive by a heartbeat, and tells those who work under it when to stop. */
export class RunLease {
  private readonly controller = new AbortController();
  private heart: NodeJS.Timeout | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private beating = false;

  constructor(readonly key: LeaseKey, private readonly renew: Renew, private readonly times: LeaseTimes) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** `claimedAt`: monotonic time before the claim was sent, so that this side's clock ends no later than the store's. */
  start(claimedAt: number): void {
    this.heart = setInterval(() => void this.beat(), this.times.heartbeatMs);
    this.watch(claimedAt);
  }

  stop(): void {
    clearInterval(this.heart);
    clearTimeout(this.watchdog);
  }

  abort(kind: StopKind): void {
    if (!this.signal.aborted) this.controller.abort(new RunStopped(kind));
  }

  private async beat(): Promise<void> {
    if (this.beating) return;
    this.beating = true;
    const sentAt = performance.now();
    try {
      const state = await this.renew(this.key);
      if (state === undefined) this.abort('lost');
      else this.watch(sentAt);
      if (state === 'REQUEST_CANCEL') this.abort('cancelled');
    } catch {
      // The store cannot be reached: the watchdog counts on.
    } finally {
      this.beating = false;
    }
  }

  private watch(since: number): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.abort('lost'), Math.max(0, since + this.times.leaseMs - performance.now()));
  }
}
