import type { Tx } from '@twinyard/service-kit';
import type { AggregateSequence } from '../aggregates/aggregate-states';
import type { CloudEvent } from '../contract/cloud-event';
import type { NewEvent } from '../contract/event';
import type { Topic } from '../contract/topics';

/** A row of the outbox that a relay has claimed. */
export interface OutboxEntry {
  /** Ascending in the order of appending. */
  readonly position: string;
  readonly topic: Topic;
  readonly event: CloudEvent;
}

export interface OutboxClaim {
  /** Names the relay; a lease that ran out may be taken by another. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
}

/** Where events wait, in the database of the service, until they are on the bus. */
export abstract class OutboxStore<T extends Tx = Tx> {
  /**
   * Numbers the events within their keys and stores them. The number of a key is taken under a lock that is held until the
   * transaction ends, so that per key the order of numbers and positions is the order of commits.
   */
  abstract append(tx: T, events: readonly NewEvent[]): Promise<void>;
  /** Leases the oldest entries; never one whose key has an older entry under somebody else's lease. */
  abstract claim(tx: T, claim: OutboxClaim): Promise<OutboxEntry[]>;
  /** Keeps what this relay has claimed for another `leaseMs`. */
  abstract renew(tx: T, owner: string, leaseMs: number): Promise<void>;
  /** Removes entries that are on the bus. */
  abstract remove(tx: T, entries: readonly OutboxEntry[]): Promise<void>;
  /** Gives leases back before their time. */
  abstract release(tx: T, owner: string): Promise<void>;
  /** What a relay at rest asks now and then: by `peek`. */
  abstract isEmpty(tx: T): Promise<boolean>;
  /** How many events wait. */
  abstract backlog(tx: T): Promise<number>;
  /** The last numbers given to these keys; a key that never had one is missing. */
  abstract sequencesOf(tx: T, topic: Topic, keys: readonly string[]): Promise<AggregateSequence[]>;
  /** The next keys behind `after`, in their order, with their last numbers: of every aggregate that ever published, deleted ones too. */
  abstract sequencesAfter(tx: T, topic: Topic, after: string, limit: number): Promise<AggregateSequence[]>;
}
