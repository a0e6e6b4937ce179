import type { CloudEvent } from '../contract/cloud-event';

export interface BusMessage {
  readonly topic: string;
  readonly event: CloudEvent;
}

export interface RetryPolicy {
  /** How often an event is tried in all before it goes to the dead letters. */
  readonly attempts: number;
  /** Wait before the second try; doubles with each further one up to `maxDelayMs`. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, delayMs: 200, maxDelayMs: 10_000 };

export type EventReceiver = (event: CloudEvent) => Promise<void>;

export interface Subscription {
  /** Members of one group share the work: each event is handled by one of them, in order per partition. A new group starts at the oldest kept event. */
  readonly group: string;
  readonly topics: readonly string[];
  /** Topics of which an earlier release took events and this one does not: how far the group had come with them keeps nothing in the log any more. */
  readonly left?: readonly string[];
  /** Resolves when the event is done. A rejection is retried by the policy; a `TransientFailure` for as long as it lasts. */
  readonly handler: EventReceiver;
  /**
   * Gets the events of a batch in their order, before the first of them is handled, and resolves with the handler for them: what it has done for
   * many at once, that one passes over. It rejects never: what fails for many is left to each.
   */
  readonly begin?: (events: readonly CloudEvent[]) => Promise<EventReceiver>;
  readonly retry?: RetryPolicy;
}

/** Something that the event is not to blame for, such as a lost database: the event is tried again until it passes, and never becomes a dead letter. */
export class TransientFailure extends Error {}

/** One member of a group. */
export interface Consumer {
  /** Handles what is there until `stop`. */
  start(): void;
  /** Handles one batch of what is due now; the number of events that were handled or given up. For tests. */
  step(): Promise<number>;
  /** Ends after the event in hand and gives its leases back. */
  stop(): Promise<void>;
}

export interface DeadLetter {
  readonly id: string;
  readonly group: string;
  /** Where the event came from; the dead letter itself is in `<topic>.dead`. */
  readonly topic: string;
  readonly cause: string;
  readonly failedAt: Date;
  readonly event: CloudEvent;
}

export interface DeadLetterFilter {
  readonly group?: string;
  readonly topic?: string;
  readonly eventId?: string;
}

export interface BusStatistics {
  /** Events that a group has not handled yet. */
  readonly lag: readonly { readonly group: string; readonly topic: string; readonly events: number }[];
  readonly deadLetters: readonly { readonly group: string; readonly topic: string; readonly events: number }[];
}

/** Carries events between services: at least once, in order per topic and key. */
export abstract class EventBus {
  /** Makes the log ready; safe to call from several processes at once. */
  abstract start(): Promise<void>;
  /** Resolves when all are stored for good. A rejection may have stored some (on Kafka, not in PostgreSQL): publish all of them again. */
  abstract publish(messages: readonly BusMessage[]): Promise<void>;
  abstract subscribe(subscription: Subscription): Promise<Consumer>;
  /** At most 1,000, oldest first. */
  abstract deadLetters(filter: DeadLetterFilter): Promise<DeadLetter[]>;
  /** Has the group of each dead letter handle it again; others see nothing. The number of letters. */
  abstract replay(filter: DeadLetterFilter): Promise<number>;
  abstract statistics(): Promise<BusStatistics>;
  /** Forgets events that are old and that every group has passed; the number, 0 where the log does so by itself. */
  abstract prune(now?: Date): Promise<number>;
  /** Rejects while the bus cannot be reached. */
  abstract check(): Promise<void>;
  /** Stops all consumers and closes the connections. */
  abstract close(): Promise<void>;
}
