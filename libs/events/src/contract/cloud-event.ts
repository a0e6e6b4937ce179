import { contractOf, isResourceType, type ResourceType } from './catalogue';
import type { EventName, NewEvent, PublicEvent, ResourceEvent } from './event';
import { toPublicEvent } from './event';

/** CloudEvents 1.0, structured JSON, with the extensions `partitionkey` (partitioning), `sequence` (here a padded number) and `clientaddress`. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly partitionkey: string;
  /** "MUST be lexicographically-orderable" (CloudEvents extension `sequence`): 20 digits. */
  readonly sequence: string;
  /** Ours: from where it was caused, for the audit log. Absent when no request did, and from older publishers. */
  readonly clientaddress?: string;
  readonly data: PublicEvent;
}

const VERBS = {
  'resource.ResourceCreated': 'created',
  'resource.ResourceUpdated': 'updated',
  'resource.ResourceDeleted': 'deleted',
} as const satisfies Record<EventName, string>;

/** The name inside the platform, `<service>.<noun>.<verbed>`: `filesvc.fileversion.created`. This is the only place that maps it. */
export const innerNameOf = (type: ResourceType, event: EventName) => `${type.toLowerCase()}.${VERBS[event]}`;

export function toCloudEvent(event: NewEvent, sequence: number): CloudEvent {
  const { type, _irn } = event.resource;
  return {
    specversion: '1.0',
    id: event.uuid,
    source: `/${type.slice(0, type.indexOf('.'))}`,
    type: innerNameOf(type, event.event),
    subject: _irn,
    time: event.timestamp,
    datacontenttype: 'application/json',
    partitionkey: event.key,
    sequence: String(sequence).padStart(20, '0'),
    ...(event.address !== undefined && { clientaddress: event.address }),
    data: toPublicEvent(event),
  };
}

/**
 * Reads an event off the bus. Fields that this process does not know yet are kept out; optional ones that an older publisher did not
 * send are absent. An unknown type gives `undefined`: a newer service published it, and this one has no handler for it.
 */
export function fromCloudEvent(event: CloudEvent): ResourceEvent | undefined {
  const { type, ...fields } = event.data.resource;
  if (!isResourceType(type)) return undefined;
  const resource = { type, ...contractOf(type).resource.parse(fields) };
  const address = event.clientaddress;
  return { ...event.data, resource, key: event.partitionkey, sequence: Number(event.sequence), ...(address !== undefined && { address }) } as ResourceEvent;
}
