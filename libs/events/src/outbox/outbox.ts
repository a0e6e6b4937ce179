import type { Tx } from '@twinyard/service-kit';
import type { NewEvent } from '../contract/event';
import type { OutboxStore } from './outbox-store';

/** Publishes events with the change that they tell of: both are committed, or neither. */
export class Outbox {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly store: OutboxStore) {}

  /**
   * Appends inside the caller's transaction; the relay publishes after the commit. Call it last: it locks the events' keys until the
   * transaction ends. `tx` must belong to the database that `eventsMigration` was run in.
   */
  async append(tx: Tx, ...events: readonly NewEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.store.append(tx, events);
    for (const listener of this.listeners) listener();
  }

  /** Told of every append, before its commit. */
  onAppend(listener: () => void): void {
    this.listeners.push(listener);
  }
}
