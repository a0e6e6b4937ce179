import type { Tx } from '@twinyard/service-kit';

/** Which handler has handled which event, in the database that the handler writes to. */
export abstract class InboxStore<T extends Tx = Tx> {
  /** False when the handler has handled the event before. The mark is made in `tx`: it stands exactly when the handler's work does. */
  abstract claim(tx: T, handler: string, eventId: string): Promise<boolean>;
  /** Those of the events that the handler has not handled before, marked as `claim` does. */
  async claimAll(tx: T, handler: string, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const claimed = new Set<string>();
    for (const id of eventIds) if (await this.claim(tx, handler, id)) claimed.add(id);
    return claimed;
  }

  /** Forgets what was handled before `before`; the bus keeps no event that long. */
  abstract prune(tx: T, before: Date): Promise<number>;
}
