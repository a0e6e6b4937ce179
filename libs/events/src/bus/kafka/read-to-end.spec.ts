import { EventEmitter } from 'node:events';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { readToEnd } from './read-to-end';

const RANGE = { topic: 'files.dead', from: 3, to: 5 };

interface Batch {
  readonly batch: { readonly topic: string; readonly messages: readonly KafkaMessage[]; lastOffset(): string };
}

/** The client as the reader sees it; the test plays the brokers. */
class ReadingClient extends EventEmitter {
  readonly events = { GROUP_JOIN: 'join', CRASH: 'crash', FETCH_START: 'fetch_start' };
  readonly sought: unknown[] = [];
  isConnected = false;
  private eachBatch: (batch: Batch) => Promise<void> = async () => undefined;
  connect = async () => void (this.isConnected = true);
  disconnect = async () => void (this.isConnected = false);
  subscribe = async () => undefined;
  seek = (place: unknown) => void this.sought.push(place);
  run = async ({ eachBatch }: { readonly eachBatch: (batch: Batch) => Promise<void> }) => {
    this.eachBatch = eachBatch;
    this.emit('join', { payload: {} });
  };

  asks(nodeId: number, times = 1): void {
    for (let time = 0; time < times; time += 1) this.emit('fetch_start', { payload: { nodeId } });
  }

  gives(...offsets: readonly number[]): Promise<void> {
    const messages = offsets.map((offset) => ({ offset: String(offset) }) as KafkaMessage);
    return this.eachBatch({ batch: { topic: RANGE.topic, messages, lastOffset: () => String(offsets.at(-1)) } });
  }
}

describe('readToEnd', () => {
  let client: ReadingClient;
  let seen: string[];
  let outcome: string;

  beforeEach(async () => {
    jest.useFakeTimers();
    [client, seen, outcome] = [new ReadingClient(), [], 'reading'];
    const kafka = { consumer: () => client } as unknown as Kafka;
    readToEnd(kafka, [RANGE], (_, { offset }) => seen.push(offset)).then(() => (outcome = 'read'), (error: Error) => (outcome = error.message));
    await jest.advanceTimersByTimeAsync(0);
  });
  afterEach(() => void jest.useRealTimers());

  const settle = async () => {
    await jest.advanceTimersByTimeAsync(0);
    return { outcome, seen, isConnected: client.isConnected };
  };

  it('reads its range and nothing else, and leaves', async () => {
    expect(client.sought).toEqual([{ topic: RANGE.topic, partition: 0, offset: '3' }]);
    client.asks(1);
    await client.gives(0, 1, 2);
    client.asks(1);
    await client.gives(3, 4, 5);
    expect(await settle()).toEqual({ outcome: 'read', seen: ['3', '4'], isConnected: false });
  });

  it('waits for a broker that stands still, whatever another one answers', async () => {
    client.asks(1);
    client.asks(2, 200);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(await settle()).toEqual({ outcome: 'reading', seen: [], isConnected: true });
    await client.gives(3, 4);
    expect(await settle()).toEqual({ outcome: 'read', seen: ['3', '4'], isConnected: false });
  });

  it('gives up an end that compaction has removed when every broker has had nothing more often enough', async () => {
    client.asks(1);
    await client.gives(3);
    client.asks(1, 49);
    expect(await settle()).toMatchObject({ outcome: 'reading' });
    client.asks(1);
    expect(await settle()).toEqual({ outcome: 'read', seen: ['3'], isConnected: false });
  });

  it('fails when the client does not stir any more', async () => {
    client.asks(1);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await settle()).toMatchObject({ outcome: 'the reader has fallen silent', isConnected: false });
  });

  it('fails with what has ended the client', async () => {
    client.emit('crash', { payload: { error: new Error('the coordinator is loading') } });
    expect(await settle()).toMatchObject({ outcome: 'the coordinator is loading', isConnected: false });
  });
});
