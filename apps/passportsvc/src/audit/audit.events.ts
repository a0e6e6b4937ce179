import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EventName, OnEveryEventInBatches, type ResourceEvent } from '@twinyard/events';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { type AuditDetails, type AuditNote, namespacesOf } from './audit-fact';
import { AuditLog } from './audit-log';
import { AuditPlaces } from './audit-places';

const ACTIONS = {
  'resource.ResourceCreated': 'CREATE',
  'resource.ResourceUpdated': 'UPDATE',
  'resource.ResourceDeleted': 'DELETE',
} as const satisfies Record<EventName, string>;

/** What an entry keeps of its event. No addresses of people: an entry cannot be made to forget. */
const KEPT = ['_userId', '_usergroupId', '_status', '_version', '_parents', '_purge', '_removed', 'changed'] as const;

/** Every change in every service, as its events tell it: each event once, whatever the bus delivers twice. */
@Injectable()
export class AuditEvents {
  constructor(
    private readonly log: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  @OnEveryEventInBatches()
  async record(tx: TypeOrmTx, events: readonly ResourceEvent[]): Promise<void> {
    const notes: AuditNote[] = [];
    for (const event of events) {
      const namespaces = namespacesOf([...event.resource._namespaces, ...(await this.parentsOf(tx, event))]);
      notes.push(...namespaces.map((namespace) => toNote(event, namespace)));
    }
    await this.log.append(tx, notes);
  }

  /** Who owns an application or organization also hears of what is made and removed in it, and still does when that is gone. */
  private async parentsOf(tx: TypeOrmTx, { resource }: ResourceEvent): Promise<readonly string[]> {
    switch (resource.type) {
      case 'passportsvc.Workspace':
      case 'passportsvc.UserGroup':
        return resource._applicationNamespace === undefined ? [] : [resource._applicationNamespace];
      case 'passportsvc.Application':
        return this.places.ofOrganization(tx, resource._organizationId ?? null);
      default:
        return [];
    }
  }
}

function toNote(event: ResourceEvent, namespace: string): AuditNote {
  const { uuid, resource, user, timestamp, requestId, address } = event;
  return {
    id: idOf(uuid, namespace), namespace, at: new Date(timestamp), byId: user.id, action: ACTIONS[event.event], irn: resource._irn,
    address: address ?? '', requestId, details: detailsOf(resource),
  };
}

/** The same for the same event, also when the inbox has long forgotten it (RFC 9562, 5.8: a UUID of one's own making is version 8). */
function idOf(uuid: string, namespace: string): string {
  const hex = createHash('sha256').update(`${uuid}/${namespace}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function detailsOf(resource: ResourceEvent['resource']): AuditDetails {
  const fields: Readonly<Record<string, unknown>> = resource;
  const kept = KEPT.flatMap((name) => (isDetail(fields[name]) ? [[name, fields[name]] as const] : []));
  const name = resource._name !== undefined && resource.type !== 'passportsvc.User' ? { _name: resource._name } : {};
  return { type: resource.type, ...name, ...Object.fromEntries(kept) };
}

function isDetail(value: unknown): value is AuditDetails[string] {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
