import { randomUUID } from 'node:crypto';
import type { Logger, Tx, UnitOfWork } from '@twinyard/service-kit';
import type { EventBus } from '../bus/event-bus';
import { Loop } from '../loop';
import { SignsOfLife } from '../signs-of-life';
import type { OutboxStore } from './outbox-store';

export interface RelayOptions {
  /** Longest time between two looks at an empty outbox. Who appends nudges, so this is for what another process left behind. */
  readonly idleMs?: number;
  readonly batch?: number;
  /** After this time another relay takes over what this one has claimed and cannot publish. */
  readonly leaseMs?: number;
  /** After this time it takes over when this one gives no sign of life. */
  readonly sessionMs?: number;
}

/** What a relay works with. */
export interface RelayParts {
  readonly unitOfWork: UnitOfWork<Tx>;
  readonly store: OutboxStore;
  readonly bus: EventBus;
  readonly logger?: Logger;
}

/** Of a process that was killed, what it was publishing stays behind for no longer. */
const SESSION_MS = 3_000;
/** A commit follows the append that wakes the relay by a few milliseconds. */
const COMMIT_DELAY_MS = 5;
/** An event costs every consumer a look, a claim and a transaction: of a stream of them those of a fifth of a second are published together. */
const PACE = { burst: 3, everyMs: 200 };

/**
 * Carries events from the outbox to the bus: at least once, in order per key. Several may run, in one process or many: each works on
 * what it has claimed. One that dies between publishing and removing leaves entries that are published again; the inbox of each
 * handler knows them.
 */
export class Relay {
  private readonly owner = randomUUID();
  private readonly idleMs: number;
  private readonly batch: number;
  private readonly leaseMs: number;
  private readonly sessionMs: number;
  private nextLook: NodeJS.Timeout | undefined;
  private readonly loop: Loop;

  constructor(private readonly parts: RelayParts, options: RelayOptions = {}) {
    this.idleMs = options.idleMs ?? 5_000;
    this.batch = options.batch ?? 500;
    this.leaseMs = options.leaseMs ?? 30_000;
    this.sessionMs = Math.min(this.leaseMs, options.sessionMs ?? SESSION_MS);
    this.loop = new Loop({
      step: () => this.step(),
      idleMs: this.idleMs,
      eager: true,
      pace: { ...PACE, full: this.batch },
      onError: (error, retryMs) => parts.logger?.warn({ err: error, retryMs }, 'events could not be published, trying again'),
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Something was appended and is about to be committed. */
  nudge(): void {
    this.loop.wake(COMMIT_DELAY_MS);
  }

  /** Publishes one batch of what is committed; resolves with its size. */
  async step(): Promise<number> {
    const { unitOfWork, store, bus } = this.parts;
    const claim = { owner: this.owner, leaseMs: this.sessionMs, limit: this.batch };
    if (await unitOfWork.peek((tx) => store.isEmpty(tx))) return 0;
    const entries = await unitOfWork.run((tx) => store.claim(tx, claim));
    if (entries.length === 0) return this.waitForOthers();
    await this.whileHeld(() => bus.publish(entries.map(({ topic, event }) => ({ topic, event }))));
    await unitOfWork.run((tx) => store.remove(tx, entries));
    return entries.length;
  }

  private async whileHeld(work: () => Promise<void>): Promise<void> {
    const { unitOfWork, store } = this.parts;
    const until = Date.now() + this.leaseMs;
    const signs = new SignsOfLife(this.sessionMs / 3, async () => {
      if (Date.now() < until) await unitOfWork.run((tx) => store.renew(tx, this.owner, this.sessionMs));
    });
    await work().finally(() => signs.end());
  }

  /** Another relay holds all that waits: it may have been killed. */
  private waitForOthers(): number {
    clearTimeout(this.nextLook);
    this.nextLook = setTimeout(() => this.loop.wake(), this.sessionMs / 3).unref();
    return 0;
  }

  async stop(): Promise<void> {
    clearTimeout(this.nextLook);
    await this.loop.stop();
    await this.parts.unitOfWork.run((tx) => this.parts.store.release(tx, this.owner)).catch(() => undefined);
  }
}
