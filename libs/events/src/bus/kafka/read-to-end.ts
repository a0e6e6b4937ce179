import { randomUUID } from 'node:crypto';
import type { Consumer, Kafka, KafkaMessage } from 'kafkajs';

export interface ReadRange {
  /** In Kafka; read is its partition 0. */
  readonly topic: string;
  readonly from: number;
  /** Behind the last record. */
  readonly to: number;
}

type OnRecord = (topic: string, record: KafkaMessage) => void;

interface Batch {
  readonly topic: string;
  readonly messages: readonly KafkaMessage[];
  lastOffset(): string;
}

const FETCH_WAIT_MS = 100;
/**
 * Answers without a record after which nothing comes any more: compaction may have removed the last ones of a range. Answers are counted, not
 * seconds: a broker that stands still is not at the end. They are as many as it gives in five seconds, since the client takes a partition
 * without a leader for an empty one.
 */
const EMPTY_ANSWERS = 50;
/** Longest time without a record: the client is known to stand still at times without a word. */
const SILENCE_MS = 60_000;

/**
 * Reads what stands in these topics, and no further; a range whose end is not seen any more is given up. The client reads only as a member of a group: this one lives as long as the
 * reading and commits nothing.
 */
export async function readToEnd(client: Kafka, ranges: readonly ReadRange[], onRecord: OnRecord, groupPrefix = ''): Promise<void> {
  const groupId = `${groupPrefix}twinyard.reader.${randomUUID()}`;
  const consumer = client.consumer({ groupId, maxWaitTimeInMs: FETCH_WAIT_MS, allowAutoTopicCreation: false, retry: { retries: 3, restartOnFailure: async () => false } });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: ranges.map(({ topic }) => topic), fromBeginning: true });
    await consume(consumer, ranges, onRecord);
  } finally {
    await consumer.disconnect().catch(() => undefined);
  }
}

async function consume(consumer: Consumer, ranges: readonly ReadRange[], onRecord: OnRecord): Promise<void> {
  const open = new Map(ranges.map((range) => [range.topic, range]));
  const answers = new EmptyAnswers();
  let silence: NodeJS.Timeout | undefined;
  const read = new Promise<void>((resolve, reject) => {
    silence = setTimeout(() => reject(new Error('the reader has fallen silent')), SILENCE_MS);
    const { CRASH, FETCH_START } = consumer.events;
    consumer.on(CRASH, ({ payload }) => reject(payload.error));
    consumer.on(FETCH_START, ({ payload }) => {
      if (answers.askedAgain(payload.nodeId) >= EMPTY_ANSWERS) resolve();
    });
    const eachBatch = async ({ batch }: { readonly batch: Batch }) => {
      silence?.refresh();
      answers.hadRecords();
      const range = open.get(batch.topic);
      if (!range) return;
      // The first fetch may begin before the seek; what stands before the range would undo what is known.
      for (const record of batch.messages) if (isWithin(range, record)) onRecord(batch.topic, record);
      if (Number(batch.lastOffset()) + 1 >= range.to) open.delete(batch.topic);
      if (open.size === 0) resolve();
    };
    consumer.run({ autoCommit: false, eachBatch }).then(() => {
      for (const { topic, from } of ranges) consumer.seek({ topic, partition: 0, offset: String(from) });
    }, reject);
  });
  await read.finally(() => clearTimeout(silence));
}

/** How often each broker has answered since one of them has had records: it is asked again when all that it has answered has been read. */
class EmptyAnswers {
  private readonly counts = new Map<number, number>();

  /** The answers of the broker with the fewest. */
  askedAgain(node: number): number {
    const before = this.counts.get(node);
    this.counts.set(node, before === undefined ? 0 : before + 1);
    return Math.min(...this.counts.values());
  }

  hadRecords(): void {
    for (const node of this.counts.keys()) this.counts.set(node, 0);
  }
}

const isWithin = ({ from, to }: ReadRange, { offset }: KafkaMessage) => Number(offset) >= from && Number(offset) < to;
