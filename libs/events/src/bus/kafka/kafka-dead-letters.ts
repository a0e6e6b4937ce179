import type { CloudEvent } from '../../contract/cloud-event';
import { deadTopicOf } from '../../contract/topics';
import { causeOf } from '@twinyard/service-kit';
import type { DeadLetter, DeadLetterFilter } from '../event-bus';
import type { DeadLetterView } from './dead-letter-view';
import { redeliveryOf } from './kafka-record';
import type { KafkaPublisher } from './kafka-publisher';
import type { KafkaTopics } from './kafka-topics';

const LIST_LIMIT = 1_000;

export interface GivenUp {
  readonly group: string;
  readonly topic: string;
  readonly event: CloudEvent;
  readonly error: unknown;
}

/**
 * Events that a group could not handle, with the cause: the topics `<topic>.dead`, in which the last record of a letter's id counts.
 * A replay writes the event to its own topic again, with the group it is for: the others pass over it, and it keeps its place behind
 * what its key has had before.
 */
export class KafkaDeadLetters {
  constructor(private readonly publisher: KafkaPublisher, private readonly topics: KafkaTopics, private readonly view: DeadLetterView) {}

  /** Written again under the same id when a group gives up an event twice, as after a crash: it stays one letter. */
  async add({ group, topic, event, error }: GivenUp): Promise<void> {
    const headers = { group, cause: causeOf(error), 'failed-at': new Date().toISOString() };
    await this.publisher.send([{ topic: this.topics.deadNameOf(topic), key: `${group}/${event.id}`, value: JSON.stringify(event), headers }]);
  }

  async remove(topic: string, id: string): Promise<void> {
    await this.publisher.send([{ topic: this.topics.deadNameOf(topic), key: id, value: null }]);
  }

  async list(filter: DeadLetterFilter): Promise<DeadLetter[]> {
    return (await this.matching(filter)).slice(0, LIST_LIMIT);
  }

  async replay(filter: DeadLetterFilter): Promise<number> {
    const letters = await this.matching(filter);
    await this.publisher.send(letters.map(({ id, group, topic, event }) => redeliveryOf({ topic, event }, this.topics.nameOf(topic), { group, letterId: id })));
    return letters.length;
  }

  /** Of all groups. */
  async count(topics: readonly string[]): Promise<{ group: string; topic: string; events: number }[]> {
    const counts = new Map<string, { group: string; topic: string; events: number }>();
    for (const letter of await this.view.list(topics)) {
      const [group, topic] = [letter.group, deadTopicOf(letter.topic)];
      const count = counts.get(`${group}/${topic}`) ?? { group, topic, events: 0 };
      count.events += 1;
      counts.set(`${group}/${topic}`, count);
    }
    return [...counts.values()];
  }

  private async matching({ group, topic, eventId }: DeadLetterFilter): Promise<DeadLetter[]> {
    const existing = await this.topics.withDeadLetters();
    const letters = await this.view.list(topic === undefined ? existing : existing.filter((name) => name === topic));
    return letters.filter((letter) => (group === undefined || letter.group === group) && (eventId === undefined || letter.event.id === eventId));
  }
}
