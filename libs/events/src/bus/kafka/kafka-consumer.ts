import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@twinyard/service-kit';
import type { Admin, Assignment, EachBatchPayload } from 'kafkajs';
import { Loop } from '../../loop';
import type { Consumer, Subscription } from '../event-bus';
import { groupLag } from './group-offsets';
import { GroupSession } from './group-session';
import type { KafkaClients } from './kafka-client';
import type { KafkaDeadLetters } from './kafka-dead-letters';
import type { KafkaTopics } from './kafka-topics';
import type { OnDemandConnection } from './on-demand-connection';
import { type PartitionRecord, RecordHandling } from './record-handling';
import { StepGate } from './step-gate';

export interface ConsumerParts {
  readonly clients: KafkaClients;
  readonly admin: OnDemandConnection<Admin>;
  readonly topics: KafkaTopics;
  readonly deadLetters: KafkaDeadLetters;
  readonly groupId: string;
  readonly leaseMs: number;
  readonly sessionMs: number;
  readonly logger?: Logger;
  readonly onStop: (consumer: KafkaConsumer) => void;
}

const BATCH = 100;
const STEP_MS = 1_000;
const POLL_MS = 5;

/** One member of a group. A session that is lost is followed by the next one, for as long as the consumer runs. */
export class KafkaConsumer implements Consumer {
  private readonly gate = new StepGate();
  private readonly handling: RecordHandling;
  private readonly loop: Loop;
  private readonly names: ReadonlyMap<string, string>;
  private session: GroupSession | undefined;
  private stopping = false;

  constructor(readonly subscription: Subscription, private readonly parts: ConsumerParts) {
    const { deadLetters, leaseMs, logger, topics } = parts;
    this.handling = new RecordHandling({ subscription, deadLetters, leaseMs, ...(logger && { logger }) });
    this.names = new Map(subscription.topics.map((topic) => [topics.nameOf(topic), topic]));
    this.loop = new Loop({
      step: () => this.live(),
      idleMs: 0,
      onError: (error, retryMs) => logger?.warn({ err: error, group: parts.groupId, retryMs }, 'the membership in the consumer group was lost, joining again'),
    });
  }

  start(): void {
    this.gate.open();
    this.loop.start();
  }

  async step(): Promise<number> {
    this.loop.start();
    while (!this.stopping) {
      const assignment = this.session?.assignment;
      if (!assignment) await delay(POLL_MS);
      else if (!(await this.hasDue(assignment))) return 0;
      else {
        const events = await this.gate.letOne(STEP_MS);
        if (events !== undefined) return events;
      }
    }
    return 0;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.session?.close();
    await this.loop.stop();
    this.parts.onStop(this);
  }

  /** From joining the group to the end of the membership. */
  private async live(): Promise<number> {
    const { clients, topics, groupId, leaseMs, sessionMs } = this.parts;
    // The same member twice in one process would work against itself.
    await this.handling.settled();
    await topics.ensure(this.subscription.topics);
    if (this.stopping) return 0;
    const session: GroupSession = new GroupSession({
      clients, groupId, leaseMs, sessionMs, topics: [...this.names.keys()],
      onBatch: (payload, signal) => this.work(payload, signal, session),
    });
    this.session = session;
    void session.open();
    try {
      await session.ended;
    } catch (error) {
      // One that dies as soon as it lives is no recovery.
      if (session.membershipMs > sessionMs) this.loop.recovered();
      topics.forget();
      await session.close();
      throw error;
    }
    return 1;
  }

  private async work(payload: EachBatchPayload, signal: AbortSignal, session: GroupSession): Promise<void> {
    if (this.holdBack(payload)) return;
    const report = await this.gate.enter(signal);
    if (!report) return;
    let events = 0;
    try {
      const messages = payload.batch.messages.slice(0, BATCH);
      const receive = await this.handling.begin(messages);
      for (const message of messages) {
        if (signal.aborted || !payload.isRunning() || payload.isStale() || !(await this.isDone({ message, receive }, payload, session))) break;
        events += 1;
        payload.resolveOffset(message.offset);
        await payload.commitOffsetsIfNecessary();
      }
      await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
    } finally {
      report(events);
    }
  }

  private async isDone(record: Pick<PartitionRecord, 'message' | 'receive'>, payload: EachBatchPayload, session: GroupSession): Promise<boolean> {
    const { topic, partition } = payload.batch;
    const verdict = await this.handling.handle({ topic: this.names.get(topic) ?? topic, partition, ...record });
    if (verdict === 'hung') this.leave(session);
    else if (verdict !== 'done') this.holdBack(payload);
    return verdict === 'done';
  }

  /** Whether the partition waits for a retry; the others go on meanwhile. */
  private holdBack({ batch, pause }: EachBatchPayload): boolean {
    const waitMs = this.handling.retries.waitMs(this.names.get(batch.topic) ?? batch.topic, batch.partition);
    if (waitMs > 0) setTimeout(pause(), waitMs).unref();
    return waitMs > 0;
  }

  private leave(session: GroupSession): void {
    this.parts.logger?.error({ group: this.parts.groupId, leaseMs: this.parts.leaseMs }, 'an event takes longer than its lease, leaving the group until it ends');
    void session.close();
  }

  /** Whether one of the member's partitions has events that need not wait. */
  private async hasDue(assignment: Assignment): Promise<boolean> {
    const lag = await groupLag(this.parts.admin, this.parts.groupId, [...this.names.keys()]);
    return lag.some(({ topic, partition, events }) =>
      events > 0 && assignment[topic]?.includes(partition) && this.handling.retries.waitMs(this.names.get(topic) ?? topic, partition) === 0);
  }
}
