import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicConfig } from 'kafkajs';
import { deadTopicOf } from '../../contract/topics';
import type { KafkaEventBusOptions } from './kafka-options';
import type { OnDemandConnection } from './on-demand-connection';

const DAY_MS = 86_400_000;
const CREATE_MS = 10_000;
const APPEAR_MS = 50;
const APPEAR_TRIES = 100;
const DEAD = deadTopicOf('');

/** One event may be as long; a batch of events is kept far below (see KafkaPublisher). */
const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;

/** Names and making of topics: one per aggregate, and beside it one for what its consumers gave up. */
export class KafkaTopics {
  private readonly known = new Set<string>();

  constructor(private readonly admin: OnDemandConnection<Admin>, private readonly options: KafkaEventBusOptions) {}

  /** The name in Kafka. */
  nameOf(topic: string): string {
    return `${this.options.topicPrefix ?? ''}${topic}`;
  }

  deadNameOf(topic: string): string {
    return this.nameOf(deadTopicOf(topic));
  }

  /** Makes those that are missing, with their dead letters; others may be doing the same. Those that are there stay as they are. */
  async ensure(topics: readonly string[]): Promise<void> {
    const unknown = topics.filter((topic) => !this.known.has(topic));
    if (unknown.length === 0) return;
    await this.admin.ask(async (admin) => {
      const wanted = unknown.flatMap((topic) => this.definitionsOf(topic));
      const missing = await absent(admin, wanted);
      if (missing.length === 0) return;
      // The client's own wait for leaders fails on a broker that has not heard of the topic yet.
      await admin.createTopics({ topics: missing, waitForLeaders: false, timeout: CREATE_MS });
      for (let tries = 0; (await absent(admin, missing)).length > 0; tries += 1) {
        if (tries === APPEAR_TRIES) throw new Error('Kafka has not made the topics in time');
        await delay(APPEAR_MS);
      }
    });
    for (const topic of unknown) this.known.add(topic);
  }

  /** After a failure: somebody may have deleted them. */
  forget(): void {
    this.known.clear();
  }

  /** Topics that have dead letters, or may have. */
  async withDeadLetters(): Promise<string[]> {
    const names = await this.admin.ask((admin) => admin.listTopics());
    const prefix = this.options.topicPrefix ?? '';
    return names.filter((name) => name.startsWith(prefix) && name.endsWith(DEAD)).map((name) => name.slice(prefix.length, -DEAD.length));
  }

  private definitionsOf(topic: string): ITopicConfig[] {
    const { partitions = 6, replicationFactor = 1, retentionMs = 7 * DAY_MS } = this.options;
    // Acknowledged means held by two where there are three: one broker may be lost, or be away.
    const safety = { 'min.insync.replicas': replicationFactor >= 3 ? 2 : 1, 'max.message.bytes': MAX_MESSAGE_BYTES };
    return [
      { topic: this.nameOf(topic), numPartitions: partitions, replicationFactor, configEntries: entries({ ...safety, 'cleanup.policy': 'delete', 'retention.ms': retentionMs }) },
      // One partition, so that letters have an order; the last word on each letter is kept.
      { topic: this.deadNameOf(topic), numPartitions: 1, replicationFactor, configEntries: entries({ ...safety, 'cleanup.policy': 'compact' }) },
    ];
  }
}

async function absent(admin: Admin, wanted: readonly ITopicConfig[]): Promise<ITopicConfig[]> {
  const existing = new Set(await admin.listTopics());
  return wanted.filter(({ topic }) => !existing.has(topic));
}

const entries = (settings: Readonly<Record<string, string | number>>) => Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));
