import { randomUUID } from 'node:crypto';
import { contractOf, type ResourceFields, type ResourceType } from './catalogue';

/** `event` of the public form. */
export const EVENT_NAMES = ['resource.ResourceCreated', 'resource.ResourceUpdated', 'resource.ResourceDeleted'] as const;
export type EventName = (typeof EVENT_NAMES)[number];

/** Who caused it. Work that no user asked for names its service. */
export interface EventOrigin {
  readonly userId: string;
  readonly requestId: string;
  /** From where, when a request did it. */
  readonly address?: string;
}

/** `resource` of the public form; `type` tells the other fields apart. */
export type ResourceOf<T extends ResourceType> = T extends ResourceType ? Readonly<{ type: T } & ResourceFields<T>> : never;

/** The public form of contract 0.5: what triggers, webhooks and scripts see. */
export interface PublicEvent<T extends ResourceType = ResourceType> {
  readonly event: EventName;
  readonly uuid: string;
  readonly resource: ResourceOf<T>;
  readonly user: { readonly id: string };
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly requestId: string;
}

/** An event that is to be appended to the outbox. */
export interface NewEvent<T extends ResourceType = ResourceType> extends PublicEvent<T> {
  /** Names the aggregate: events with the same topic and key stay in order. */
  readonly key: string;
  /** The address of `EventOrigin`: beside the public form, since neither triggers nor mails may show it. */
  readonly address?: string;
}

/** What a handler gets. */
export interface ResourceEvent<T extends ResourceType = ResourceType> extends NewEvent<T> {
  /**
   * Counts up from 1 within one aggregate, in commit order, over all event types of it. A handler that keeps absolute values keeps
   * the highest number it has seen and passes over what is not higher: late, double and reordered events then change nothing.
   */
  readonly sequence: number;
}

/**
 * Makes an event; call it before the transaction, since a transaction may run twice:
 *
 *     const made = resourceCreated('filesvc.File', { _id, _irn, _name, _namespaces, … }, { userId: ctx.principal.id, requestId: ctx.requestId });
 *     await this.unitOfWork.run(async (tx) => { …; await this.outbox.append(tx, made); });
 *
 * Where the fields are known only inside the transaction, it may be made there: an attempt that was rolled back left no event.
 */
export const resourceCreated = <T extends ResourceType>(type: T, fields: ResourceFields<T>, origin: EventOrigin) =>
  newEvent('resource.ResourceCreated', type, fields, origin);

export const resourceUpdated = <T extends ResourceType>(type: T, fields: ResourceFields<T>, origin: EventOrigin) =>
  newEvent('resource.ResourceUpdated', type, fields, origin);

/** `fields` as they were; counts and bytes as they are afterwards, so usually 0. */
export const resourceDeleted = <T extends ResourceType>(type: T, fields: ResourceFields<T>, origin: EventOrigin) =>
  newEvent('resource.ResourceDeleted', type, fields, origin);

/** Fields that the contract does not know are left out; a missing or wrong one throws, naming it: a fault of the publisher. */
function newEvent<T extends ResourceType>(event: EventName, type: T, fields: ResourceFields<T>, origin: EventOrigin): NewEvent<T> {
  const { resource, keyField } = contractOf(type);
  const checked: Record<string, unknown> = resource.parse(fields);
  return {
    event,
    uuid: randomUUID(),
    // The schema that checked the fields is the one that `ResourceOf<T>` is derived from.
    resource: { type, ...checked } as ResourceOf<T>,
    user: { id: origin.userId },
    timestamp: new Date().toISOString(),
    requestId: origin.requestId,
    key: String(checked[keyField]),
    ...(origin.address && { address: origin.address }),
  };
}

/** What may leave the platform: the event without what only handlers need. */
export function toPublicEvent<T extends ResourceType>(event: PublicEvent<T>): PublicEvent<T> {
  const { event: name, uuid, resource, user, timestamp, requestId } = event;
  return { event: name, uuid, resource, user, timestamp, requestId };
}
