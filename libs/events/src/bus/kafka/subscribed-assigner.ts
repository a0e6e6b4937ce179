import type { AssignerProtocol, Assignment, Cluster, GroupMember, PartitionAssigner } from 'kafkajs';

type Protocol = typeof AssignerProtocol;

interface Member {
  readonly id: string;
  readonly topics: ReadonlySet<string>;
}

/**
 * Gives each partition to a member that has subscribed to its topic. The client's own assigners take the leader's topics for
 * everybody's, so that in the middle of an update, when old and new replicas handle different topics, events would reach nobody.
 */
export const subscribedAssigner = ({ MemberMetadata, MemberAssignment }: Protocol): PartitionAssigner => ({ cluster }) => ({
  name: 'twinyard-subscribed',
  version: 1,
  async assign({ members }) {
    const subscribed = members.map((member) => memberOf(member, MemberMetadata)).sort((one, other) => (one.id < other.id ? -1 : 1));
    const partitions = await partitionsOf(cluster, [...new Set(subscribed.flatMap(({ topics }) => [...topics]))].sort());
    return [...share(subscribed, partitions)].map(([memberId, assignment]) => ({
      memberId, memberAssignment: MemberAssignment.encode({ version: 1, assignment, userData: Buffer.alloc(0) }),
    }));
  },
  protocol: ({ topics }) => ({
    name: 'twinyard-subscribed',
    metadata: MemberMetadata.encode({ version: 1, topics, userData: Buffer.alloc(0) }),
  }),
});

const memberOf = ({ memberId, memberMetadata }: GroupMember, metadata: Protocol['MemberMetadata']): Member => ({
  id: memberId, topics: new Set(metadata.decode(memberMetadata)?.topics),
});

/** A topic that is gone has none; who has subscribed to it will make it, and join again. */
async function partitionsOf(cluster: Cluster, topics: readonly string[]): Promise<Map<string, number[]>> {
  const partitions = new Map<string, number[]>();
  for (const topic of topics) {
    await cluster.addTargetTopic(topic).catch(() => undefined);
    partitions.set(topic, cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId));
  }
  return partitions;
}

/** Each partition goes to the one with the fewest so far of those that want it. */
export function share(members: readonly Member[], partitionsByTopic: ReadonlyMap<string, readonly number[]>): Map<string, Assignment> {
  const assignments = new Map(members.map(({ id }): [string, Assignment] => [id, {}]));
  const load = new Map(members.map(({ id }) => [id, 0]));
  for (const [topic, partitions] of partitionsByTopic) {
    const candidates = members.filter(({ topics }) => topics.has(topic)).map(({ id }) => id);
    if (candidates.length === 0) continue;
    for (const partition of partitions) {
      const chosen = candidates.reduce((least, id) => ((load.get(id) ?? 0) < (load.get(least) ?? 0) ? id : least));
      const assignment = assignments.get(chosen) ?? {};
      (assignment[topic] ??= []).push(partition);
      load.set(chosen, (load.get(chosen) ?? 0) + 1);
    }
  }
  return assignments;
}
