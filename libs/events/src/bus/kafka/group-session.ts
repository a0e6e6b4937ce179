import { setTimeout as delay } from 'node:timers/promises';
import type { Assignment, Consumer, EachBatchPayload } from 'kafkajs';
import { type KafkaClients, RETRY } from './kafka-client';

export interface SessionOptions {
  readonly clients: KafkaClients;
  readonly groupId: string;
  /** In Kafka. */
  readonly topics: readonly string[];
  readonly leaseMs: number;
  readonly sessionMs: number;
  /** Works on a batch until it is done or `signal` asks to stop after the event in hand. */
  readonly onBatch: (payload: EachBatchPayload, signal: AbortSignal) => Promise<void>;
}

/** Partitions that are worked on at the same time. */
const CONCURRENCY = 2;
const FETCH_BYTES = 256 * 1024;
const FETCH_WAIT_MS = 500;
const BEAT_MS = 500;
const LEAVE_MS = 5_000;

/**
 * One life of a member: from joining its group to leaving it, or to the first failure that the client cannot mend. Heartbeats go on
 * while a batch is worked on, so the membership does not depend on how long that takes.
 */
export class GroupSession {
  /** Resolves when the member has left, rejects when it was lost. */
  readonly ended: Promise<void>;
  private readonly consumer: Consumer;
  private readonly working = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  private readonly beatMs: number;
  private opening: Promise<void> = Promise.resolve();
  private joinedAt: number | undefined;
  private assigned: Assignment | undefined;
  private watch: NodeJS.Timeout | undefined;
  private finish: () => void = () => undefined;
  private fail: (reason: Error) => void = () => undefined;

  constructor(private readonly options: SessionOptions) {
    const { clients, groupId, leaseMs, sessionMs } = options;
    this.beatMs = Math.min(BEAT_MS, Math.floor(sessionMs / 3));
    this.ended = new Promise<void>((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    this.ended.catch(() => undefined);
    this.consumer = clients.make().consumer({
      groupId, sessionTimeout: sessionMs, heartbeatInterval: this.beatMs, rebalanceTimeout: Math.max(leaseMs, sessionMs),
      maxWaitTimeInMs: FETCH_WAIT_MS, maxBytesPerPartition: FETCH_BYTES, metadataMaxAge: 60_000, allowAutoTopicCreation: false,
      partitionAssigners: [clients.assigner], retry: { ...RETRY, restartOnFailure: async () => false },
    });
    this.listen();
  }

  /** What the member works on; nothing while the group shares anew. */
  get assignment(): Assignment | undefined {
    return this.assigned;
  }

  /** How long it has been a member, the times included in which the group shared anew. */
  get membershipMs(): number {
    return this.joinedAt === undefined ? 0 : Date.now() - this.joinedAt;
  }

  /** Joins; failures come through `ended`. */
  open(): Promise<void> {
    this.opening = this.join();
    return this.opening;
  }

  /**
   * Leaves the group after the events in hand. A client that is told to disconnect while it joins goes on joining, and would hold its
   * partitions for ever without working on them; so it is told once it has joined.
   */
  async close(): Promise<void> {
    this.closing.abort();
    const left = this.opening.then(() => this.consumer.disconnect()).catch(() => undefined);
    await Promise.allSettled(this.working);
    // A broker that is away cannot be told; it notices by itself.
    await Promise.race([left, delay(LEAVE_MS, undefined, { ref: false })]);
    clearTimeout(this.watch);
    this.finish();
  }

  private async join(): Promise<void> {
    try {
      await this.consumer.connect();
      await this.consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
      if (this.closing.signal.aborted) return;
      await this.consumer.run({
        autoCommit: true, eachBatchAutoResolve: false, autoCommitInterval: 1_000, partitionsConsumedConcurrently: CONCURRENCY,
        eachBatch: (payload) => this.track(this.work(payload)),
      });
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private async work(payload: EachBatchPayload): Promise<void> {
    const interrupted = new AbortController();
    const beat = setInterval(() => void payload.heartbeat().catch(() => interrupted.abort()), this.beatMs);
    try {
      await this.options.onBatch(payload, AbortSignal.any([interrupted.signal, this.closing.signal]));
    } finally {
      clearInterval(beat);
    }
  }

  private track(work: Promise<void>): Promise<void> {
    const done = work.finally(() => this.working.delete(done));
    this.working.add(done);
    return done;
  }

  private listen(): void {
    const { consumer, options: { leaseMs, sessionMs } } = this;
    const { GROUP_JOIN, REBALANCING, CRASH, HEARTBEAT, FETCH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.assigned = payload.memberAssignment as unknown as Assignment;
      this.joinedAt ??= Date.now();
    });
    consumer.on(REBALANCING, () => {
      this.assigned = undefined;
    });
    consumer.on(CRASH, ({ payload }) => this.fail(payload.error));
    // The client is known to stand still at times without a word. Joining may take as long as another member's event.
    const silence = () => this.fail(new Error('the consumer has fallen silent'));
    this.watch = setTimeout(silence, leaseMs + 2 * sessionMs).unref();
    for (const event of [GROUP_JOIN, HEARTBEAT, FETCH] as const) consumer.on(event, () => void this.watch?.refresh());
  }
}
