import type { Admin } from 'kafkajs';
import { KafkaTopics } from './kafka-topics';
import { OnDemandConnection } from './on-demand-connection';

const PREFIX = 'test.';

/** A broker on a busy machine: each of what it does for a new topic takes its time. */
class SlowBroker {
  readonly made = new Map<string, number>();
  madeTwice = 0;

  constructor(private readonly namesAfterMs: number, private readonly leadsAfterMs: number) {}

  connect = async () => undefined;
  disconnect = async () => undefined;
  createTopics = async ({ topics }: { readonly topics: readonly { readonly topic: string }[] }) => {
    for (const { topic } of topics) {
      if (this.made.has(topic)) this.madeTwice += 1;
      else this.made.set(topic, Date.now());
    }
    return true;
  };
  listTopics = async () => [...this.made].filter(([, at]) => Date.now() - at >= this.namesAfterMs).map(([name]) => name);
  fetchTopicOffsets = async (topic: string) => {
    if (Date.now() - (this.made.get(topic) ?? 0) < this.leadsAfterMs) throw Object.assign(new Error('This server is not the leader for that topic-partition'), { retriable: true });
    return [];
  };
}

describe('KafkaTopics', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const topicsOn = (broker: SlowBroker) => new KafkaTopics(new OnDemandConnection(() => broker as unknown as Admin), { brokers: ['broker:9092'], topicPrefix: PREFIX });

  it('has topics made when they can be written, however long a busy broker takes', async () => {
    const broker = new SlowBroker(16_000, 25_000);
    let state = 'making';
    topicsOn(broker).ensure(['files', 'teams']).then(() => (state = 'made'), (error: Error) => (state = error.message));
    await jest.advanceTimersByTimeAsync(24_000);
    expect(state).toBe('making');
    await jest.advanceTimersByTimeAsync(3_000);
    expect(state).toBe('made');
    expect([[...broker.made.keys()], broker.madeTwice]).toEqual([['test.files', 'test.files.dead', 'test.teams', 'test.teams.dead'], 0]);
  });

  it('says so when they do not come', async () => {
    let state = 'making';
    topicsOn(new SlowBroker(Number.POSITIVE_INFINITY, 0)).ensure(['files']).catch((error: Error) => (state = error.message));
    await jest.advanceTimersByTimeAsync(91_000);
    expect(state).toBe('Kafka has not made the topics in time');
  });

  it('asks again for the names while the client drops the answer, as it does when any topic has no leader', async () => {
    const broker = new SlowBroker(0, 0);
    const list = broker.listTopics;
    const answers = [() => Promise.reject(new TypeError("Cannot destructure property 'topicMetadata' of '(intermediate value)' as it is null.")), list];
    broker.listTopics = () => (answers.length > 1 ? answers.shift() : answers[0])?.() ?? list();
    broker.made.set('test.files.dead', 0);
    const names = topicsOn(broker).withDeadLetters();
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(names).resolves.toEqual(['files']);
  });
});
