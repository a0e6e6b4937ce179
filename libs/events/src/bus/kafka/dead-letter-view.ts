import type { Admin, KafkaMessage } from 'kafkajs';
import type { DeadLetter } from '../event-bus';
import { askAgain } from './ask-again';
import type { KafkaClients } from './kafka-client';
import { eventOf, textOf } from './kafka-record';
import type { KafkaTopics } from './kafka-topics';
import type { OnDemandConnection } from './on-demand-connection';
import { readToEnd, type ReadRange } from './read-to-end';

export interface ViewParts {
  readonly admin: OnDemandConnection<Admin>;
  readonly topics: KafkaTopics;
  readonly clients: KafkaClients;
  readonly groupPrefix: string;
}

interface TopicView {
  readonly letters: Map<string, DeadLetter>;
  readonly madeAt: number;
  position: number;
}

/** Compaction keeps the marks of removed letters for a day: a view that goes on from an older position could miss one. */
const VIEW_MS = 3_600_000;

/**
 * The letters that stand in the compacted dead-letter topics. Asking costs two offsets a topic; only what has come since the last
 * time is read.
 */
export class DeadLetterView {
  private readonly views = new Map<string, TopicView>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: ViewParts) {}

  /** Letters of these topics, oldest first. */
  list(topics: readonly string[]): Promise<DeadLetter[]> {
    const listed = this.last.then(() => this.refresh(topics));
    this.last = listed.catch(() => undefined);
    return listed;
  }

  private async refresh(topics: readonly string[]): Promise<DeadLetter[]> {
    const { admin, topics: names, clients, groupPrefix } = this.parts;
    const byName = new Map(topics.map((topic) => [names.deadNameOf(topic), topic]));
    const ranges = await admin.ask((connection) => Promise.all([...byName].map(async ([name, topic]): Promise<ReadRange> => {
      const [end] = await connection.fetchTopicOffsets(name);
      return this.rangeOf(topic, name, Number(end?.low ?? 0), Number(end?.high ?? 0));
    })));
    const behind = ranges.filter(({ from, to }) => from < to);
    // From the same place again after a failure: what a record says does not depend on how often it is read.
    if (behind.length > 0) await askAgain(() => readToEnd(clients.make(), behind, (name, record) => this.take(byName.get(name) ?? name, record), groupPrefix));
    return topics.flatMap((topic) => [...this.viewOf(topic).letters.values()]).sort((one, other) => Number(one.failedAt) - Number(other.failedAt));
  }

  private rangeOf(topic: string, name: string, low: number, high: number): ReadRange {
    const view = this.views.get(topic);
    // An end that lies before what was read: the topic was made anew.
    if (view && (view.position > high || Date.now() - view.madeAt > VIEW_MS)) this.views.delete(topic);
    return { topic: name, from: Math.max(low, this.viewOf(topic).position), to: high };
  }

  private take(topic: string, { key, value, offset, headers = {} }: KafkaMessage): void {
    const view = this.viewOf(topic);
    const { letters } = view;
    view.position = Number(offset) + 1;
    const id = key?.toString() ?? '';
    const [event, group] = [eventOf(value), textOf(headers['group'])];
    if (value === null) letters.delete(id);
    if (!event || !group) return;
    letters.set(id, { id, group, topic, cause: textOf(headers['cause']) ?? '', failedAt: new Date(textOf(headers['failed-at']) ?? 0), event });
  }

  private viewOf(topic: string): TopicView {
    const view = this.views.get(topic) ?? { letters: new Map<string, DeadLetter>(), madeAt: Date.now(), position: 0 };
    this.views.set(topic, view);
    return view;
  }
}
