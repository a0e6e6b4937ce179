import { setTimeout as delay } from 'node:timers/promises';
import { doubledWait } from '@twinyard/conventions';
import type { JobHandler } from '../held-job';
import type { JobDefinition } from '../job';
import type { Claimed, ClaimedJob } from '../store/job-store';
import { JobAttempt } from './job-attempt';
import { type Lease, LeaseKeeper } from './lease-keeper';
import type { RunnerParts } from './runner-parts';
import { WakeTimer } from './wake-timer';
import { within } from './within';

/** What is taken at a time: a claim ends those that are done and takes as many others, so that short jobs share its cost. */
const BATCH = 32;
/** What others hold back (a transaction that has it in hand, a limit that is reached elsewhere) is looked at again. */
const HELD_BACK_MS = 1_000;
const RETRY = { firstMs: 50, longestMs: 5_000 };
const NO_LIMIT = 2 ** 31 - 1;
/** Of the end of a process, for what is done and not ended. */
const [LAST_TRIES, LAST_PAUSE_MS] = [5, 200];

interface InHand {
  readonly lease: Lease;
  readonly ended: Promise<void>;
}

/**
 * Runs the jobs of one kind in one process: looks when it is told that there may be some, when one falls due or a lease ends, and when a hand
 * is free while more wait. Otherwise it does nothing.
 */
export class KindRunner<P> {
  private readonly leases: LeaseKeeper;
  private readonly alarm = new WakeTimer(() => this.wake());
  private readonly inHand = new Set<InHand>();
  private readonly stopping = new AbortController();
  /** Done, and to be removed with the next claim; their leases are kept until that is confirmed. */
  private ended: Lease[] = [];
  /** Of them, those that some transaction had in hand. */
  private readonly later: Lease[] = [];
  private readonly goOn = () => this.turn();
  private isWanted = false;
  /** More are due than could be taken: the end of one is a reason to look. */
  private isMore = false;
  private failures = 0;
  private lastNamespace = '';
  private cycle: Promise<void> | undefined;

  constructor(
    private readonly definition: JobDefinition<P>,
    private readonly handler: JobHandler<P>,
    private readonly parts: RunnerParts,
  ) {
    this.leases = new LeaseKeeper(parts.store, definition.leaseMs, parts.logger);
  }

  /** There may be something to do. */
  wake(): void {
    this.isWanted = true;
    this.takeUpLater();
    this.turn();
  }

  wakeIn(ms: number): void {
    if (ms <= 0) this.wake();
    else this.alarm.set(ms);
  }

  /** Those in hand are told to stop, after the time that their kind gives them; resolves when they have, or were left to themselves. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.alarm.clear();
    const { finishWithinMs } = this.definition;
    if (finishWithinMs !== undefined) await within(finishWithinMs, this.allEnded()).catch(() => undefined);
    this.stopInHand();
    await this.cycle;
    // What a claim has brought meanwhile.
    this.stopInHand();
    await this.allEnded();
    await this.endRest();
  }

  /** What is not ended by then runs out with its lease, and is done once more. */
  private async endRest(): Promise<void> {
    for (let tries = 0; tries < LAST_TRIES && this.ended.length + this.later.length > 0; tries += 1) {
      if (tries > 0) await delay(LAST_PAUSE_MS);
      this.takeUpLater();
      await this.claim(0).catch(() => undefined);
    }
    for (const lease of [...this.ended, ...this.later]) this.leases.letGo(lease);
  }

  private stopInHand(): void {
    for (const { lease } of this.inHand) lease.stop('shutdown');
  }

  private async allEnded(): Promise<void> {
    await Promise.all([...this.inHand].map(({ ended }) => ended));
  }

  private takeUpLater(): void {
    this.ended.push(...this.later.splice(0));
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private get free(): number {
    return this.isStopped ? 0 : Math.min(BATCH, this.definition.concurrency - this.inHand.size);
  }

  private turn(): void {
    if (this.cycle !== undefined || this.isStopped) return;
    const hands = this.takeHands(0);
    if (this.ended.length === 0 && hands === 0) return;
    this.cycle = this.work(hands).finally(() => {
      this.cycle = undefined;
      this.turn();
    });
  }

  /** Where other kinds have all of them, it is told when one is free. */
  private takeHands(taken: number): number {
    const wanted = this.isWanted ? this.free - taken : 0;
    if (wanted <= 0) return 0;
    const more = this.parts.hands.take(wanted, this.inHand.size + taken);
    if (taken + more === 0) this.parts.hands.whenGiven(this.goOn);
    return more;
  }

  private async work(hands: number): Promise<void> {
    // What ends in this turn of the event loop ends together.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await this.claim(this.slotsWith(hands));
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      const retryMs = doubledWait(RETRY, this.failures);
      this.parts.logger.warn({ err: error, kind: this.definition.kind, retryMs }, 'jobs cannot be taken right now');
      await delay(retryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private slotsWith(hands: number): number {
    if (!this.isStopped) return hands + this.takeHands(hands);
    this.parts.hands.give(hands);
    return 0;
  }

  private async claim(slots: number): Promise<void> {
    const { kind, leaseMs, perNamespace = NO_LIMIT } = this.definition;
    const ended = this.ended;
    this.ended = [];
    if (slots > 0) this.isWanted = false;
    const claimedAt = performance.now();
    let claimed: Claimed;
    try {
      claimed = await this.parts.store.claim({ kind, slots, leaseMs, perNamespace, after: this.lastNamespace }, ended);
    } catch (error) {
      this.ended.push(...ended);
      this.isWanted ||= slots > 0;
      this.parts.hands.give(slots);
      throw error;
    }
    this.letGoOf(ended, claimed.notEnded);
    for (const job of claimed.jobs) this.begin(job, claimedAt);
    this.parts.hands.give(slots - claimed.jobs.length);
    if (slots > 0) this.lookAhead(claimed, slots);
  }

  private letGoOf(ended: readonly Lease[], notEnded: readonly string[]): void {
    for (const lease of ended) {
      if (notEnded.includes(lease.id)) this.later.push(lease);
      else this.leases.letGo(lease);
    }
    if (this.later.length > 0) this.alarm.set(HELD_BACK_MS);
  }

  private lookAhead({ jobs, isMore, nextMs }: Claimed, slots: number): void {
    this.lastNamespace = jobs.at(-1)?.namespace ?? this.lastNamespace;
    this.isMore = isMore;
    if (isMore && jobs.length === slots) this.isWanted = true;
    else if (isMore) this.alarm.set(HELD_BACK_MS);
    if (nextMs !== undefined) this.alarm.set(nextMs);
  }

  /**
   * What this process is still at, under a lease that a standstill has ended, is begun anew when that attempt has ended: what happened to the
   * job in between it does not know. One that has ended the job and is not back yet (its key came again) is waited for too.
   */
  private begin(job: ClaimedJob, claimedAt: number): void {
    const earlier = [...this.inHand].filter(({ lease }) => lease.id === job.id);
    for (const { lease } of earlier) {
      if (!lease.isSettled) lease.stop('lost');
      this.leases.letGo(lease);
    }
    const lease = this.leases.keep(job, claimedAt);
    if (this.isStopped) lease.stop('shutdown');
    const ended = Promise.all(earlier.map((one) => one.ended)).then(() => this.run(job, lease)).finally(() => {
      this.inHand.delete(one);
      if (this.isMore) this.isWanted = true;
      this.parts.hands.give(1);
      this.turn();
    });
    const one: InHand = { lease, ended };
    this.inHand.add(one);
  }

  private async run(job: ClaimedJob, lease: Lease): Promise<void> {
    const end = await new JobAttempt(job, lease, this.definition, this.handler, this.parts).run();
    if (end === 'done') this.ended.push(lease);
    else this.leases.letGo(lease);
  }
}
