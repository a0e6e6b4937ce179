import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@twinyard/service-kit';
import type { KafkaMessage } from 'kafkajs';
import { DEFAULT_RETRY, type EventReceiver, type Subscription, TransientFailure } from '../event-bus';
import type { KafkaDeadLetters } from './kafka-dead-letters';
import { readRecord, type ReceivedEvent } from './kafka-record';
import { PartitionRetries } from './partition-retries';

export interface PartitionRecord {
  /** As subscribed to, without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly message: KafkaMessage;
  /** What `begin` has resolved with. */
  readonly receive: EventReceiver;
}

/** `done`: go on behind it. `hung`: it takes longer than the lease. A number: try it again after so many milliseconds. */
export type Verdict = 'done' | 'hung' | number;

export interface HandlingParts {
  readonly subscription: Subscription;
  readonly deadLetters: KafkaDeadLetters;
  readonly leaseMs: number;
  readonly logger?: Logger;
}

/** What becomes of one record. */
export class RecordHandling {
  readonly retries: PartitionRetries;
  private late: Promise<void> | undefined;

  constructor(private readonly parts: HandlingParts) {
    this.retries = new PartitionRetries(parts.subscription.retry ?? DEFAULT_RETRY);
  }

  /** Resolves when the handler that outlived its lease has ended. */
  async settled(): Promise<void> {
    await this.late;
  }

  /** Before the records of a batch are handled in turn. A dead letter that comes back is handled by itself. */
  async begin(messages: readonly KafkaMessage[]): Promise<EventReceiver> {
    const { begin, handler } = this.parts.subscription;
    const received = messages.map(readRecord).filter((record) => record !== undefined && record.redelivery === undefined) as ReceivedEvent[];
    return (await begin?.(received.map(({ event }) => event))) ?? handler;
  }

  async handle(record: PartitionRecord): Promise<Verdict> {
    const { topic, partition, message } = record;
    const received = readRecord(message);
    if (!received) {
      this.parts.logger?.error({ topic, partition, offset: message.offset }, 'a record is no event, passing over it');
      return 'done';
    }
    // A dead letter on its way back to another group.
    if (received.redelivery && received.redelivery.group !== this.parts.subscription.group) return 'done';
    const verdict = await this.attempt(record, received);
    if (verdict === 'done') this.retries.passed(topic, partition);
    return verdict;
  }

  private async attempt(record: PartitionRecord, received: ReceivedEvent): Promise<Verdict> {
    try {
      if (!(await this.withinLease(record.receive(received.event)))) return 'hung';
    } catch (error) {
      return this.afterFailure(error, record, received).catch((cause: unknown) => this.postpone(record, cause));
    }
    if (!received.redelivery) return 'done';
    const removed = this.parts.deadLetters.remove(record.topic, received.redelivery.letterId);
    return removed.then((): Verdict => 'done').catch((cause: unknown) => this.postpone(record, cause));
  }

  private async withinLease(handled: Promise<void>): Promise<boolean> {
    const timer = new AbortController();
    const ended = handled.then(() => true).finally(() => timer.abort());
    const inTime = await Promise.race([ended, delay(this.parts.leaseMs, false, { signal: timer.signal }).catch(() => ended)]);
    if (!inTime) this.late = ended.then(() => undefined, () => undefined);
    return inTime;
  }

  private async afterFailure(error: unknown, record: PartitionRecord, { event, redelivery }: ReceivedEvent): Promise<Verdict> {
    const { deadLetters, subscription: { group }, logger } = this.parts;
    const { topic, partition, message } = record;
    if (error instanceof TransientFailure) return this.postpone(record, error);
    // A replay has one try: whoever asked for it sees the new cause, and asks again.
    const retryMs = redelivery ? undefined : this.retries.failed(topic, partition, message.offset);
    logger?.warn({ err: error, eventId: event.id, eventType: event.type, retryMs }, 'an event could not be handled');
    if (retryMs !== undefined) return retryMs;
    await deadLetters.add({ group, topic, event, error });
    logger?.error({ eventId: event.id, eventType: event.type }, 'an event went to the dead letters');
    return 'done';
  }

  private postpone({ topic, partition, message }: PartitionRecord, error: unknown): number {
    const retryMs = this.retries.postponed(topic, partition, message.offset);
    this.parts.logger?.warn({ err: error, topic, partition, retryMs }, 'something that events need is lost, trying again');
    return retryMs;
  }
}
