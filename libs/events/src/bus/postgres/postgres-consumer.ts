import { doubledWait } from '@twinyard/conventions';
import { causeOf, type Logger } from '@twinyard/service-kit';
import { Loop } from '../../loop';
import { SignsOfLife } from '../../signs-of-life';
import { type Consumer, DEFAULT_RETRY, type EventReceiver, type RetryPolicy, type Subscription, TransientFailure } from '../event-bus';
import type { DeadLetters } from './dead-letters';
import type { EventLog, LoggedEvent } from './event-log';
import type { GroupPositions, PartitionClaim, ReachedPosition } from './group-positions';

export interface ConsumerParts {
  readonly log: EventLog;
  readonly positions: GroupPositions;
  readonly deadLetters: DeadLetters;
  /** Of one that is alive and gets no event done. */
  readonly leaseMs: number;
  /** Of one that gives no sign of life. */
  readonly sessionMs: number;
  readonly idleMs: number;
  readonly logger?: Logger;
  readonly onStop: (consumer: PostgresConsumer) => void;
}

/** Of each partition. */
const BATCH = 100;
/** That one consumer works on at the same time: what comes in all partitions of a topic at once is begun, read and given back together. */
const PARTITIONS = 4;
/** Partitions that took no longer are given back together. */
const HURRIED_MS = 100;
const TRANSIENT_RETRY_MS = 1_000;
/** Between two looks at what somebody else holds. */
const SHORTEST_LOOK_MS = 50;

/** What became of a batch: how many events are done, and whether the rest has to wait. */
interface Run {
  done: number;
  position: number;
  attempts: number;
  renewedAt: number;
  readonly receive: EventReceiver;
}

/** `reached` is still to be given back. */
interface WorkEnd {
  readonly done: number;
  readonly reached?: ReachedPosition;
}

/** One member of a group: claims partitions that have something due, works through them in order, and gives them back. */
export class PostgresConsumer implements Consumer {
  private readonly loop: Loop;
  private readonly retry: RetryPolicy;
  private stopping = false;
  /** When an event was done last. */
  private progressAt = 0;
  private nextLook: NodeJS.Timeout | undefined;

  constructor(private readonly subscription: Subscription, private readonly parts: ConsumerParts) {
    this.retry = subscription.retry ?? DEFAULT_RETRY;
    this.loop = new Loop({
      step: () => this.step(),
      idleMs: parts.idleMs,
      onError: (error, retryMs) => parts.logger?.warn({ err: error, retryMs }, 'events could not be read, trying again'),
    });
  }

  start(): void {
    this.loop.start();
  }

  wake(topics: ReadonlySet<string> | 'all'): void {
    if (topics === 'all' || this.subscription.topics.some((topic) => topics.has(topic))) this.loop.wake();
  }

  async step(): Promise<number> {
    const { positions } = this.parts;
    const claims = await positions.claim(this.subscription.topics, PARTITIONS);
    if (claims.length === 0) return (await this.replayOne()) || this.waitForOthers();
    const ends = await this.whileHeld(claims, () => this.workAll(claims));
    await positions.releaseAll(ends.flatMap((end) => (end.status === 'fulfilled' && end.value.reached ? [end.value.reached] : [])));
    return ends.reduce((sum, end) => {
      if (end.status === 'rejected') throw end.reason;
      return sum + end.value.done;
    }, 0);
  }

  private async workAll(claims: readonly PartitionClaim[]): Promise<PromiseSettledResult<WorkEnd>[]> {
    const read = await this.parts.log.read(claims, BATCH);
    const receive = await this.begin(read.flat());
    return Promise.allSettled(claims.map((claim, index) => this.work(claim, read[index] ?? [], receive)));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.nextLook);
    await this.loop.stop();
    this.parts.onStop(this);
  }

  /** Shows that this process is alive: one that was killed is followed soon. One that gets nothing done loses what it holds as well. */
  private async whileHeld<T>(claims: readonly PartitionClaim[], work: () => Promise<T>): Promise<T> {
    const { positions, leaseMs, sessionMs } = this.parts;
    this.progressAt = Date.now();
    const signs = new SignsOfLife(sessionMs / 3, async () => {
      if (Date.now() - this.progressAt < leaseMs) await positions.hold(claims);
    });
    return work().finally(() => signs.end());
  }

  /** Looks again when the lease of whoever holds what is due runs out: it may have been killed. */
  private async waitForOthers(): Promise<number> {
    const ms = await this.parts.positions.nextDueMs(this.subscription.topics);
    clearTimeout(this.nextLook);
    if (ms !== undefined && ms < this.parts.idleMs) this.nextLook = setTimeout(() => this.loop.wake(), Math.max(ms + 1, SHORTEST_LOOK_MS)).unref();
    return 0;
  }

  private async begin(events: readonly LoggedEvent[]): Promise<EventReceiver> {
    const { begin, handler } = this.subscription;
    return (await begin?.(events.map(({ event }) => event))) ?? handler;
  }

  private async work(claim: PartitionClaim, events: readonly LoggedEvent[], receive: EventReceiver): Promise<WorkEnd> {
    // Retention removed what stood between the position and the head.
    if (events.length === 0) return { done: 1, reached: { claim, position: claim.head, attempts: 0 } };
    const began = Date.now();
    const run: Run = { done: 0, position: claim.position, attempts: claim.attempts, renewedAt: began, receive };
    for (const logged of events) {
      if (this.stopping) break;
      const verdict = await this.handle(claim, logged, run);
      if (verdict === 'lost') return { done: run.done };
      if (typeof verdict === 'number') {
        await this.postpone(claim, run, verdict);
        return { done: run.done };
      }
    }
    const reached = { claim, position: run.position, attempts: run.attempts };
    if (Date.now() - began < HURRIED_MS) return { done: run.done, reached };
    // The others may take as long.
    await this.parts.positions.releaseAll([reached]);
    return { done: run.done };
  }

  /** `next`: go on; `lost`: somebody else has the partition; a number: wait so many milliseconds. */
  private async handle(claim: PartitionClaim, { event, position }: LoggedEvent, run: Run): Promise<'next' | 'lost' | number> {
    try {
      await run.receive(event);
    } catch (error) {
      if (error instanceof TransientFailure) return Math.min(TRANSIENT_RETRY_MS, this.retry.maxDelayMs);
      run.attempts += 1;
      this.parts.logger?.warn({ err: error, eventId: event.id, eventType: event.type, attempt: run.attempts }, 'an event could not be handled');
      if (run.attempts < this.retry.attempts) return doubledWait({ firstMs: this.retry.delayMs, longestMs: this.retry.maxDelayMs }, run.attempts - 1);
      if (!(await this.parts.positions.giveUp(claim, position, event, causeOf(error)))) return 'lost';
      this.parts.logger?.error({ eventId: event.id, eventType: event.type }, 'an event went to the dead letters');
    }
    this.progressAt = Date.now();
    run.done += 1;
    run.position = position;
    run.attempts = 0;
    return this.keepLease(claim, run);
  }

  private async keepLease(claim: PartitionClaim, run: Run): Promise<'next' | 'lost'> {
    if (Date.now() - run.renewedAt < this.parts.sessionMs / 3) return 'next';
    run.renewedAt = Date.now();
    return (await this.parts.positions.renew(claim, run.position)) ? 'next' : 'lost';
  }

  private async postpone(claim: PartitionClaim, run: Run, retryMs: number): Promise<void> {
    await this.parts.positions.release(claim, { position: run.position, attempts: run.attempts, retryMs });
    setTimeout(() => this.loop.wake(), retryMs + 1).unref();
  }

  private async replayOne(): Promise<number> {
    const { deadLetters, leaseMs } = this.parts;
    const letter = await deadLetters.nextReplay(this.subscription.group, this.subscription.topics, leaseMs);
    if (!letter) return 0;
    try {
      await this.subscription.handler(letter.event);
    } catch (error) {
      await deadLetters.keep(letter.id, causeOf(error));
      return 1;
    }
    await deadLetters.remove(letter.id);
    return 1;
  }
}
