import type { Admin } from 'kafkajs';
import type { OnDemandConnection } from './on-demand-connection';

export interface PartitionLag {
  readonly topic: string;
  readonly partition: number;
  readonly events: number;
}

/** How far a group is behind in each partition of these topics; one that has committed nothing starts at the oldest kept event. */
export async function groupLag(admin: OnDemandConnection<Admin>, groupId: string, topics: readonly string[]): Promise<PartitionLag[]> {
  return admin.ask(async (connection) => {
    const [committed, ...ends] = await Promise.all([
      connection.fetchOffsets({ groupId, topics: [...topics] }),
      ...topics.map((topic) => connection.fetchTopicOffsets(topic)),
    ]);
    const positions = new Map(committed.flatMap(({ topic, partitions }) => partitions.map(({ partition, offset }) => [`${topic}/${partition}`, Number(offset)])));
    return topics.flatMap((topic, index) => (ends[index] ?? []).map(({ partition, high, low }) => {
      const position = Math.max(positions.get(`${topic}/${partition}`) ?? -1, Number(low));
      return { topic, partition, events: Math.max(0, Number(high) - position) };
    }));
  });
}
