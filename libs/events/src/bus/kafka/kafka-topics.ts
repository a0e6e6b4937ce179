import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicConfig } from 'kafkajs';
import { deadTopicOf } from '../../contract/topics';
import type { KafkaEventBusOptions } from './kafka-options';
import type { OnDemandConnection } from './on-demand-connection';

const DAY_MS = 86_400_000;
const CREATE_MS = 10_000;
const APPEAR_MS = 50;
/** A broker that has to make a hundred partitions on a busy machine has taken a minute. A service that waits for it at its first start has two. */
const READY_MS = 90_000;
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
    const missing = await this.absent(unknown.flatMap((topic) => this.definitionsOf(topic)));
    if (missing.length > 0) await this.make(missing);
    for (const topic of unknown) this.known.add(topic);
  }

  /** After a failure: somebody may have deleted them. */
  forget(): void {
    this.known.clear();
  }

  /** Topics that have dead letters, or may have. */
  async withDeadLetters(): Promise<string[]> {
    const prefix = this.options.topicPrefix ?? '';
    return (await this.names()).filter((name) => name.startsWith(prefix) && name.endsWith(DEAD)).map((name) => name.slice(prefix.length, -DEAD.length));
  }

  /** Resolves when they can be written and read. */
  private async make(missing: readonly ITopicConfig[]): Promise<void> {
    const until = Date.now() + READY_MS;
    // The client's own wait for leaders fails on a broker that has not heard of the topic yet.
    await this.admin.ask((admin) => admin.createTopics({ topics: [...missing], waitForLeaders: false, timeout: CREATE_MS }), READY_MS);
    while ((await this.absent(missing)).length > 0) {
      if (Date.now() > until) throw new Error('Kafka has not made the topics in time');
      await delay(APPEAR_MS);
    }
    // A broker names a topic before it has made its partitions; until then it refuses to be their leader. One after the other: it is busy with them.
    for (const { topic } of missing) await this.admin.ask((admin) => admin.fetchTopicOffsets(topic), Math.max(0, until - Date.now()));
  }

  private async absent(wanted: readonly ITopicConfig[]): Promise<ITopicConfig[]> {
    const existing = new Set(await this.names());
    return wanted.filter(({ topic }) => !existing.has(topic));
  }

  private names(): Promise<string[]> {
    return this.admin.ask((admin) => admin.listTopics().catch(asLeaderless));
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

/** The client drops the answer when a topic, whosever it is, has no leader at the moment, and stumbles over having none. */
function asLeaderless(error: unknown): never {
  throw error instanceof TypeError ? Object.assign(new Error('a topic has no leader at the moment', { cause: error }), { retriable: true }) : error;
}

const entries = (settings: Readonly<Record<string, string | number>>) => Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));
