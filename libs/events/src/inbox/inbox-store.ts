import type { Tx } from '@twinyard/service-kit';

/** Which handler has handled which event, in the database that the handler writes to. */
export abstract class InboxStore<T extends Tx = Tx> {
  /** False when the handler has handled the event before. The mark is made in `tx`: it stands exactly when the handler's work does. */
  abstract claim(tx: T, handler: string, eventId: string): Promise<boolean>;
  /** Forgets what was handled before `before`; the bus keeps no event that long. */
  abstract prune(tx: T, before: Date): Promise<number>;
}
