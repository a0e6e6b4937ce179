import type { Kafka, Producer, TopicMessages } from 'kafkajs';
import { RETRY } from './kafka-client';
import type { TopicRecord } from './kafka-record';
import { OnDemandConnection } from './on-demand-connection';

/** What goes out at once: a partition takes a batch whole, and refuses one above its `max.message.bytes`. */
const CHUNK_BYTES = 512 * 1024;
const ACKNOWLEDGE_MS = 10_000;

/**
 * Writes records, one call after the other. The producer is idempotent: what it sends again after a lost answer is stored once, and
 * the order within a partition holds. Its sequence numbers go back when a call fails in the end, although the broker may have
 * stored the records; another call would then use the same numbers, and be dropped as a repetition. So there is one call at a time,
 * and after a failure a new producer.
 */
export class KafkaPublisher {
  private readonly producer: OnDemandConnection<Producer>;
  private last: Promise<void> = Promise.resolve();

  constructor(client: Kafka) {
    this.producer = new OnDemandConnection(() => client.producer({
      idempotent: true, maxInFlightRequests: 1, allowAutoTopicCreation: false, retry: RETRY,
    }));
  }

  /** Resolves when all in-sync replicas have them. A rejection may have stored some. */
  send(records: readonly TopicRecord[]): Promise<void> {
    const sent = this.last.then(() => this.sendInChunks(records));
    this.last = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    await this.last;
    await this.producer.close();
  }

  private async sendInChunks(records: readonly TopicRecord[]): Promise<void> {
    for (const chunk of chunksOf(records)) {
      await this.producer.use((producer) => producer.sendBatch({ acks: -1, timeout: ACKNOWLEDGE_MS, topicMessages: byTopic(chunk) }));
    }
  }
}

export function chunksOf(records: readonly TopicRecord[]): TopicRecord[][] {
  const chunks: TopicRecord[][] = [];
  let room = 0;
  for (const record of records) {
    const bytes = record.value === null ? 0 : Buffer.byteLength(record.value);
    if (bytes > room || chunks.length === 0) {
      chunks.push([]);
      room = CHUNK_BYTES;
    }
    chunks.at(-1)?.push(record);
    room -= bytes;
  }
  return chunks;
}

function byTopic(records: readonly TopicRecord[]): TopicMessages[] {
  const messages = new Map<string, TopicRecord[]>();
  for (const record of records) messages.set(record.topic, [...(messages.get(record.topic) ?? []), record]);
  return [...messages].map(([topic, of]) => ({ topic, messages: of }));
}
