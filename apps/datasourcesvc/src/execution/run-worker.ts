import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { newUuid, unavailable } from '@twinyard/conventions';
import { LOGGER, type Logger, type TypeOrmTx } from '@twinyard/service-kit';
import { HeldRunsRepository } from './held-runs.repository';
import { RunExecution } from './run-execution';
import { type LeaseKey, type LeaseTimes, RunLease } from './run-lease';

export class WorkerOptions implements LeaseTimes {
  constructor(
    readonly leaseMs: number,
    readonly heartbeatMs: number,
    readonly pollMs: number,
    /** Runs at once, those inside of requests aside. */
    readonly concurrency: number,
  ) {}
}

/** Runs inside of requests; more than these are asked to come again. */
const MAX_INSTANT = 16;

interface ActiveRun {
  readonly lease: RunLease;
  readonly done: Promise<void>;
}

/** Takes queued runs, and those of workers that fell silent, and sees them through. */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly owner = newUuid();
  private readonly active = new Map<string, ActiveRun>();
  private poll: NodeJS.Timeout | undefined;
  private queued = 0;
  private instant = 0;
  private wanted = false;
  private filling = false;
  private lastFill: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly held: HeldRunsRepository,
    private readonly execution: RunExecution,
    private readonly options: WorkerOptions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.poll = setInterval(() => this.wake(), this.options.pollMs);
    this.poll.unref();
    this.wake();
  }

  /** Runs under way go on elsewhere, or here after the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.poll);
    this.active.forEach(({ lease }) => lease.abort('shutdown'));
    await this.lastFill;
    await Promise.all([...this.active.values()].map(({ done }) => done));
  }

  /** There may be work. */
  wake(): void {
    this.wanted = true;
    if (!this.filling && !this.stopped) this.lastFill = this.fill();
  }

  /** A run whose cancellation is stored: here it is noticed at once, elsewhere by the next heartbeat. */
  cancel(runId: string): void {
    this.active.get(runId)?.lease.abort('cancelled');
    this.wake();
  }

  /** A run that was deleted. */
  forget(runId: string): void {
    this.active.get(runId)?.lease.abort('lost');
  }

  /** Makes a run and works on it at once; resolves when it has ended, or was left for another worker. */
  async runNow(runId: string, make: (claim: (tx: TypeOrmTx) => Promise<LeaseKey>) => Promise<LeaseKey>): Promise<void> {
    if (this.stopped || this.instant >= MAX_INSTANT) throw unavailable('Too many instant runs are under way');
    this.instant += 1;
    try {
      const claimedAt = performance.now();
      await this.work(await make((tx) => this.held.claimNew(tx, runId, this.owner, this.options.leaseMs)), claimedAt);
    } finally {
      this.instant -= 1;
    }
  }

  private async fill(): Promise<void> {
    this.filling = true;
    try {
      while (this.wanted && !this.stopped) {
        this.wanted = false;
        while (await this.cancelNext());
        while (this.queued < this.options.concurrency && (await this.startNext()));
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'runs cannot be taken right now');
    } finally {
      this.filling = false;
    }
  }

  /** Takes no slot: a queued run that is cancelled need not wait for those that run. */
  private async cancelNext(): Promise<boolean> {
    const claimedAt = performance.now();
    const key = await this.held.claimNext(this.owner, this.options.leaseMs, ['REQUEST_CANCEL']);
    if (key !== undefined) await this.work(key, claimedAt);
    return key !== undefined && !this.stopped;
  }

  private async startNext(): Promise<boolean> {
    const claimedAt = performance.now();
    const key = await this.held.claimNext(this.owner, this.options.leaseMs, ['QUEUED', 'RUNNING']);
    if (key === undefined) return false;
    this.queued += 1;
    void this.work(key, claimedAt).finally(() => {
      this.queued -= 1;
      this.wake();
    });
    return !this.stopped;
  }

  private work(key: LeaseKey, claimedAt: number): Promise<void> {
    const lease = new RunLease(key, (held) => this.held.renew(held, this.options.leaseMs), this.options);
    lease.start(claimedAt);
    if (this.stopped) lease.abort('shutdown');
    const done = this.execution.perform(lease).finally(() => {
      lease.stop();
      if (this.active.get(key.runId)?.lease === lease) this.active.delete(key.runId);
    });
    this.active.set(key.runId, { lease, done });
    return done;
  }
}
