import { randomUUID } from 'node:crypto';
import type { Consumer, Kafka, KafkaMessage } from 'kafkajs';

export interface ReadRange {
  /** In Kafka; read is its partition 0. */
  readonly topic: string;
  readonly from: number;
  /** Behind the last record. */
  readonly to: number;
}

/** Compaction may have removed the last records of a range; then nothing comes any more. Counted from the joining, which a broker may delay. */
const QUIET_MS = 5_000;

/**
 * Reads what stands in these topics, and no further; a range whose end is not seen any more is given up. The client reads only as a member of a group: this one lives as long as the
 * reading and commits nothing.
 */
export async function readToEnd(client: Kafka, ranges: readonly ReadRange[], onRecord: (topic: string, record: KafkaMessage) => void, groupPrefix = ''): Promise<void> {
  const groupId = `${groupPrefix}twinyard.reader.${randomUUID()}`;
  const consumer = client.consumer({ groupId, maxWaitTimeInMs: 100, allowAutoTopicCreation: false, retry: { retries: 3, restartOnFailure: async () => false } });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: ranges.map(({ topic }) => topic), fromBeginning: true });
    await consume(consumer, ranges, onRecord);
  } finally {
    await consumer.disconnect().catch(() => undefined);
  }
}

async function consume(consumer: Consumer, ranges: readonly ReadRange[], onRecord: (topic: string, record: KafkaMessage) => void): Promise<void> {
  const open = new Map(ranges.map((range) => [range.topic, range]));
  await new Promise<void>((resolve, reject) => {
    let quiet: NodeJS.Timeout | undefined;
    consumer.on(consumer.events.GROUP_JOIN, () => {
      quiet ??= setTimeout(resolve, QUIET_MS);
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      clearTimeout(quiet);
      reject(payload.error);
    });
    const eachBatch = async ({ batch }: { readonly batch: { readonly topic: string; readonly messages: KafkaMessage[]; lastOffset(): string } }) => {
      quiet?.refresh();
      const range = open.get(batch.topic);
      if (!range) return;
      // The first fetch may begin before the seek; what stands before the range would undo what is known.
      for (const record of batch.messages) if (isWithin(range, record)) onRecord(batch.topic, record);
      if (Number(batch.lastOffset()) + 1 < range.to) return;
      open.delete(batch.topic);
      if (open.size > 0) return;
      clearTimeout(quiet);
      resolve();
    };
    consumer.run({ autoCommit: false, eachBatch }).then(() => {
      for (const { topic, from } of ranges) consumer.seek({ topic, partition: 0, offset: String(from) });
    }, reject);
  });
}

const isWithin = ({ from, to }: ReadRange, { offset }: KafkaMessage) => Number(offset) >= from && Number(offset) < to;
