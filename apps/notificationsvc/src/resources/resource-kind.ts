import type { RequestContext } from '@twinyard/auth';
import type { ResourceType } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import type { DeviceSecrets } from './device-secrets';
import type { Confirmations } from '../confirmations/confirmations.repository';
import type { Kind, Resource } from './resource';
import type { ResourceDto } from './resource.dto';
import type { ResourcesRepository } from './resources.repository';

export type EventType = Extract<ResourceType, `notificationsvc.${string}`>;

/** A record that must be there, in the same namespace. */
export interface Reference {
  readonly field: string;
  readonly kind: Kind;
  readonly id: string;
}

export interface Draft {
  readonly namespace: string;
  readonly name: string;
  readonly body: Record<string, unknown>;
  /** Fields of the answer to this one creation, such as a secret that is never shown again. */
  readonly once?: Record<string, unknown>;
}

/** Where a record is completed: its caller and its transaction. */
export interface Completion {
  /** Of the record. */
  readonly id: string;
  readonly tx: SqlTx;
  readonly ctx: RequestContext;
  readonly resources: ResourcesRepository;
  readonly secrets: DeviceSecrets;
  readonly confirmations: Confirmations;
}

/** What one kind of record adds to what all have in common. */
export interface ResourceKind<D extends ResourceDto = ResourceDto> {
  readonly kind: Kind;
  readonly eventType: EventType;
  readonly dto: new () => D;
  /** Whether `_name` must be given; else the record's id is its name. */
  readonly named: boolean;
  /** The fields to store. @throws ServiceError `invalid` */
  readonly toBody: (dto: D, before?: Record<string, unknown>) => Record<string, unknown>;
  readonly references: (body: Record<string, unknown>) => readonly Reference[];
  /** The body as it is answered, without what is kept to ourselves. */
  readonly shown?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** What the service itself fills in, from the caller and its other records, before a new record is stored. */
  readonly complete?: (at: Completion, draft: Draft) => Promise<Draft>;
  /** The same before a change is stored. @throws ServiceError for what this caller may not change */
  readonly revise?: (at: Completion, stored: Resource, body: Record<string, unknown>) => Promise<Record<string, unknown>>;
}
