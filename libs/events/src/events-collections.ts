import type { MongoCollections } from '@twinyard/service-kit';

export const EVENT_SEQUENCES = 'event_sequences';
export const EVENT_OUTBOX = 'event_outbox';
export const EVENT_CLAIMS = 'event_claims';
export const EVENT_INBOX = 'event_inbox';

/** For `MongoModule.forRoot({ collections })`, of each service on MongoDB that publishes or handles events. */
export const EVENTS_COLLECTIONS: MongoCollections = {
  // A document per aggregate that ever published: a write to it makes the order of numbers the order of commits.
  [EVENT_SEQUENCES]: [],
  // Sparse: few entries are under a lease at a time.
  [EVENT_OUTBOX]: [{ key: { leasedUntil: 1 }, name: 'leasedUntil', sparse: true }, { key: { leasedBy: 1 }, name: 'leasedBy', sparse: true }],
  [EVENT_CLAIMS]: [],
  [EVENT_INBOX]: [{ key: { handledAt: 1 }, name: 'handledAt' }],
};
