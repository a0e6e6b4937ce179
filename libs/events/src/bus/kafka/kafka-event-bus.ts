import { setTimeout as delay } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { TOPICS } from '../../contract/topics';
import { type BusMessage, type BusStatistics, type Consumer, type DeadLetter, type DeadLetterFilter, EventBus, type Subscription, TransientFailure } from '../event-bus';
import { DeadLetterView } from './dead-letter-view';
import { groupLag } from './group-offsets';
import { KafkaClients, type KafkaLibrary } from './kafka-client';
import { KafkaConsumer } from './kafka-consumer';
import { KafkaDeadLetters } from './kafka-dead-letters';
import type { KafkaEventBusOptions } from './kafka-options';
import { KafkaPublisher } from './kafka-publisher';
import { recordOf } from './kafka-record';
import { KafkaTopics } from './kafka-topics';
import { OnDemandConnection } from './on-demand-connection';

/** As long as a consumer may stay away from its broker by Kafka's own defaults (`max.poll.interval.ms`). */
const LEASE_MS = 300_000;
const SESSION_MS = 10_000;
const CHECK_MS = 2_000;

/** The event log in Kafka. */
export class KafkaEventBus extends EventBus {
  private readonly clients: KafkaClients;
  private readonly admin: OnDemandConnection<Admin>;
  private readonly topics: KafkaTopics;
  private readonly publisher: KafkaPublisher;
  private readonly letters: KafkaDeadLetters;
  private readonly consumers = new Set<KafkaConsumer>();

  private constructor(library: KafkaLibrary, private readonly options: KafkaEventBusOptions) {
    super();
    this.clients = new KafkaClients(library, options);
    this.admin = new OnDemandConnection(() => this.clients.make().admin());
    this.topics = new KafkaTopics(this.admin, options);
    this.publisher = new KafkaPublisher(this.clients.make());
    const view = new DeadLetterView({ admin: this.admin, topics: this.topics, clients: this.clients, groupPrefix: options.topicPrefix ?? '' });
    this.letters = new KafkaDeadLetters(this.publisher, this.topics, view);
  }

  /** Connects to nothing yet. */
  static async open(options: KafkaEventBusOptions): Promise<KafkaEventBus> {
    return new KafkaEventBus(await import('kafkajs'), options);
  }

  override async start(): Promise<void> {
    await this.topics.ensure(TOPICS);
  }

  override async publish(messages: readonly BusMessage[]): Promise<void> {
    try {
      await this.topics.ensure([...new Set(messages.map(({ topic }) => topic))]);
      await this.publisher.send(messages.map((message) => recordOf(message, this.topics.nameOf(message.topic))));
    } catch (error) {
      this.topics.forget();
      throw new TransientFailure('Kafka has not taken the events', { cause: error });
    }
  }

  override async subscribe(subscription: Subscription): Promise<Consumer> {
    await this.topics.ensure(subscription.topics);
    const { leaseMs = LEASE_MS, sessionMs = SESSION_MS, logger } = this.options;
    const consumer = new KafkaConsumer(subscription, {
      clients: this.clients, admin: this.admin, topics: this.topics, deadLetters: this.letters, groupId: this.groupIdOf(subscription),
      leaseMs, sessionMs, ...(logger && { logger }), onStop: (stopped) => this.consumers.delete(stopped),
    });
    this.consumers.add(consumer);
    return consumer;
  }

  /** Kafka does, by `retention.ms`. */
  override prune(): Promise<number> {
    return Promise.resolve(0);
  }

  override deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return this.letters.list(filter);
  }

  override replay(filter: DeadLetterFilter): Promise<number> {
    return this.letters.replay(filter);
  }

  /** Of the groups of this process and their topics. */
  override async statistics(): Promise<BusStatistics> {
    const subscriptions = [...this.consumers].map(({ subscription }) => subscription);
    const topics = [...new Set(subscriptions.flatMap((subscription) => subscription.topics))];
    const [lag, deadLetters] = await Promise.all([Promise.all(subscriptions.map((subscription) => this.lagOf(subscription))), this.letters.count(topics)]);
    return { lag: lag.flat(), deadLetters };
  }

  override async check(): Promise<void> {
    await within(CHECK_MS, this.admin.use((admin) => admin.describeCluster()));
  }

  override async close(): Promise<void> {
    await Promise.all([...this.consumers].map((consumer) => consumer.stop()));
    await this.publisher.close();
    await this.admin.close();
  }

  private async lagOf(subscription: Subscription): Promise<BusStatistics['lag']> {
    const { group, topics } = subscription;
    const partitions = await groupLag(this.admin, this.groupIdOf(subscription), topics.map((topic) => this.topics.nameOf(topic)));
    const eventsOf = (topic: string) => partitions.filter((partition) => partition.topic === this.topics.nameOf(topic)).reduce((sum, { events }) => sum + events, 0);
    return topics.map((topic) => ({ group, topic, events: eventsOf(topic) }));
  }

  private groupIdOf({ group }: Subscription): string {
    return `${this.options.topicPrefix ?? ''}${group}`;
  }
}

/** The client goes on trying; whoever asks for readiness wants to know now. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return Promise.race([work, delay(ms, undefined, { ref: false }).then(() => Promise.reject(new Error('Kafka does not answer')))]);
}
