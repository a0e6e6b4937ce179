import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { OnEveryEventInBatches, type PublicEvent, PurgeStore, type ResourceEvent, toPublicEvent } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import { bodyOf } from '../kinds/body-of';
import { DeliveryOrders } from '../deliveries/delivery-orders';
import { type DeviceBody, receiverOf } from '../kinds/device.kind';
import type { Notification } from '../notifications/notification';
import { NotificationsRepository } from '../notifications/notifications.repository';
import type { ReferenceDto } from '../resources/resource.dto';
import type { Resource } from '../resources/resource';
import { ResourcesRepository } from '../resources/resources.repository';
import { compileFilter, type EventMatcher } from './trigger-filter';

const MAX_COMPILED = 10_000;
/** Each row of a statement carries its event. */
const MAX_INSERTED = 200;

/**
 * Match → groups → accepted subscriptions → devices (contract 7): writes down who is to be told, in the transaction that
 * marks the events as handled, and orders that they are told.
 */
@Injectable()
export class TriggerEvents {
  private readonly compiled = new Map<string, EventMatcher>();

  constructor(
    private readonly resources: ResourcesRepository,
    private readonly notifications: NotificationsRepository,
    private readonly orders: DeliveryOrders,
    private readonly purges: PurgeStore,
  ) {}

  @OnEveryEventInBatches()
  async evaluate(tx: SqlTx, events: readonly ResourceEvent[]): Promise<void> {
    // A trigger on notifications would call itself for ever.
    const told = events.filter(({ resource }) => resource.type !== 'notificationsvc.Notification' && resource._namespaces.length > 0);
    if (told.length === 0) return;
    const triggers = await this.resources.triggersOf(tx, [...new Set(told.flatMap(({ resource }) => resource._namespaces))]);
    const purged = triggers.length === 0 ? [] : await this.purgedAmong(tx, told);
    const recipients = new Map<Resource, readonly Recipient[]>();
    for (const event of told) {
      const shown = without(purged, toPublicEvent(event));
      for (const trigger of triggers.filter(({ namespace }) => event.resource._namespaces.includes(namespace))) {
        if (!this.matcherOf(trigger)(shown)) continue;
        const known = recipients.get(trigger) ?? (await this.recipientsOf(tx, trigger));
        recipients.set(trigger, known);
        await this.notify(tx, trigger, known, shown);
      }
    }
    await this.orders.order(tx, [...recipients].flatMap(([trigger, known]) => known.map(({ device }) => receiverIn(trigger.namespace, device))));
  }

  /** What lies in several namespaces is told of in those that are left. A trigger of a purged one goes with its namespace, and with it whom it has told. */
  private async purgedAmong(tx: SqlTx, events: readonly ResourceEvent[]): Promise<readonly string[]> {
    const shared = events.filter(({ resource }) => resource._namespaces.length > 1).flatMap(({ resource }) => resource._namespaces);
    return shared.length === 0 ? [] : this.purges.purgedOf(tx, [...new Set(shared)]);
  }

  private async notify(tx: SqlTx, trigger: Resource, recipients: readonly Recipient[], event: PublicEvent): Promise<void> {
    for (let first = 0; first < recipients.length; first += MAX_INSERTED) {
      await this.notifications.insertOnce(tx, recipients.slice(first, first + MAX_INSERTED).map((recipient) => draftOf(trigger, recipient, event)));
    }
  }

  /** Whoever hears of what the trigger matches: the same for all events of a batch. */
  private async recipientsOf(tx: SqlTx, trigger: Resource): Promise<Recipient[]> {
    const { _groups, _senders, _templates } = bodyOf('trigger', trigger.body);
    const recipients: Recipient[] = [];
    for (const subscription of await this.resources.subscriptionsOf(tx, _groups.map(({ _id }) => _id))) {
      const device = await this.resources.findIn(tx, trigger.namespace, 'device', bodyOf('subscription', subscription.body)._device._id);
      if (device === undefined) continue;
      const { _transport } = bodyOf('device', device.body);
      const sender = await this.firstOf(tx, trigger.namespace, 'sender', _senders, _transport);
      const template = await this.firstOf(tx, trigger.namespace, 'template', _templates, _transport);
      recipients.push({ subscription, device, sender, template });
    }
    return recipients;
  }

  /** The trigger's first sender or template of the device's transport. */
  private async firstOf(tx: SqlTx, namespace: string, kind: 'sender' | 'template', references: readonly ReferenceDto[], transport: string): Promise<Resource | undefined> {
    for (const { _id } of references) {
      const found = await this.resources.findIn(tx, namespace, kind, _id);
      if (found?.body['_transport'] === transport) return found;
    }
    return undefined;
  }

  private matcherOf(trigger: Resource): EventMatcher {
    const key = `${trigger.id} ${trigger.version}`;
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    if (this.compiled.size >= MAX_COMPILED) this.compiled.clear();
    const matcher = compileFilter(bodyOf('trigger', trigger.body)._event._filters);
    this.compiled.set(key, matcher);
    return matcher;
  }
}

function without(namespaces: readonly string[], event: PublicEvent): PublicEvent {
  if (namespaces.length === 0) return event;
  return { ...event, resource: { ...event.resource, _namespaces: event.resource._namespaces.filter((name) => !namespaces.includes(name)) } };
}

interface Recipient {
  readonly subscription: Resource;
  readonly device: Resource;
  readonly sender: Resource | undefined;
  readonly template: Resource | undefined;
}

const receiverIn = (namespace: string, device: Resource) => ({ namespace, transport: bodyOf('device', device.body)._transport, receiver: receiverOf(device) });

function draftOf(trigger: Resource, { subscription, device, sender, template }: Recipient, event: PublicEvent): Notification {
  const { _transport, _owner, _status } = bodyOf('device', device.body);
  const skipped = reasonToSkip(sender, template, _transport, _status);
  const now = new Date();
  return {
    id: newUuid(), namespace: trigger.namespace, status: skipped === undefined ? 'SENDING' : 'SKIPPED', purpose: 'EVENT', triggerId: trigger.id, eventId: event.uuid,
    event: { ...event }, groupId: bodyOf('subscription', subscription.body)._group._id, subscriptionId: subscription.id, deviceId: device.id,
    senderId: sender?.id ?? null, templateId: template?.id ?? null, transport: _transport, receiver: receiverOf(device), ownerIrn: _owner._irn, attempts: 0, error: skipped ?? null,
    createdAt: now, updatedAt: now,
  };
}

function reasonToSkip(sender: Resource | undefined, template: Resource | undefined, transport: string, status: DeviceBody['_status']): string | undefined {
  if (status === 'BLOCKED') return 'the device is blocked';
  if (sender === undefined) return `the trigger has no sender for ${transport}`;
  if (template === undefined) return `the trigger has no template for ${transport}`;
  return undefined;
}
