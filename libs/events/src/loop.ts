import { doubledWait } from '@twinyard/conventions';

export interface LoopOptions {
  /** One round of work; resolves with how much was done. */
  readonly step: () => Promise<number>;
  /** Longest wait after a round that found nothing. */
  readonly idleMs: number;
  /** Whether a wake-up may come before the work can be seen (a commit is still to follow): then the waits grow from short to idle. */
  readonly eager?: boolean;
  /** Missing: a round that found something is followed by the next at once. */
  readonly pace?: Pace;
  readonly onError: (error: unknown, retryMs: number) => void;
}

/** Some rounds that find little may follow each other at once; those after them come one at a time, so that what arrives meanwhile is done together. */
export interface Pace {
  readonly burst: number;
  readonly everyMs: number;
  /** A round that has done this much has left some: it needs no wait. */
  readonly full: number;
}

const SHORTEST_WAIT_MS = 5;
const RETRY = { firstMs: 50, longestMs: 5_000 };

/** Repeats a step: at once while there is work, after a wait while there is none, with backoff while it fails. */
export class Loop {
  private running: Promise<void> | undefined;
  private stopping = false;
  private failures = 0;
  private quietRounds = 0;
  private wokenAt = 0;
  /** Rounds that need not wait, and when that was worked out. */
  private spare = { rounds: Number.POSITIVE_INFINITY, at: 0 };
  private isPacing = false;
  private timer: { handle: NodeJS.Timeout; due: number; done: () => void } | undefined;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  /** There may be work after `delayMs`. */
  wake(delayMs = 0): void {
    this.quietRounds = 0;
    this.wokenAt += 1;
    if (this.failures > 0 || this.isPacing || this.timer === undefined || this.timer.due <= Date.now() + delayMs) return;
    this.arm(delayMs, this.timer.done);
  }

  /** The step in hand has gone well for long enough: failures before it do not lengthen the wait after its own any more. */
  recovered(): void {
    this.failures = 0;
  }

  /** Resolves when the step in hand has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.timer?.done();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const wokenBefore = this.wokenAt;
      const wait = await this.round();
      // Woken during the round: what it was woken for may have come too late for it.
      const missed = this.wokenAt !== wokenBefore && this.failures === 0 && !this.isPacing;
      await this.pause(missed ? Math.min(wait, SHORTEST_WAIT_MS) : wait);
      this.isPacing = false;
    }
  }

  /** The time to wait before the next one. */
  private async round(): Promise<number> {
    try {
      const done = await this.options.step();
      this.failures = 0;
      if (done > 0) this.quietRounds = 0;
      return done > 0 ? this.paceWait(done) : this.idleWait();
    } catch (error) {
      this.failures += 1;
      const retryMs = doubledWait(RETRY, this.failures);
      this.options.onError(error, retryMs);
      return retryMs;
    }
  }

  private idleWait(): number {
    if (!this.options.eager) return this.options.idleMs;
    this.quietRounds += 1;
    return doubledWait({ firstMs: SHORTEST_WAIT_MS, longestMs: this.options.idleMs }, this.quietRounds - 1);
  }

  private paceWait(done: number): number {
    const { pace } = this.options;
    if (pace === undefined || done >= pace.full) return 0;
    const now = Date.now();
    const rounds = Math.min(pace.burst, this.spare.rounds + (now - this.spare.at) / pace.everyMs) - 1;
    this.spare = { rounds, at: now };
    this.isPacing = rounds < 0;
    return this.isPacing ? -rounds * pace.everyMs : 0;
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.stopping) return;
    await new Promise<void>((resolve) => this.arm(ms, resolve));
  }

  private arm(ms: number, resolve: () => void): void {
    clearTimeout(this.timer?.handle);
    const done = () => {
      clearTimeout(this.timer?.handle);
      this.timer = undefined;
      resolve();
    };
    this.timer = { handle: setTimeout(done, ms), due: Date.now() + ms, done };
  }
}
