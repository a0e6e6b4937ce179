import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { OnEveryEvent, type PublicEvent, type ResourceEvent, toPublicEvent } from '@twinyard/events';
import type { SqlTx } from '@twinyard/service-kit';
import { bodyOf } from '../kinds/body-of';
import type { DeviceBody } from '../kinds/device.kind';
import type { Notification } from '../notifications/notification';
import { NotificationsRepository } from '../notifications/notifications.repository';
import type { ReferenceDto } from '../resources/resource.dto';
import type { Resource } from '../resources/resource';
import { ResourcesRepository } from '../resources/resources.repository';
import { compileFilter, type EventMatcher } from './trigger-filter';

const MAX_COMPILED = 10_000;

/**
 * Match → groups → accepted subscriptions → devices (contract 7): writes down who is to be told, in the transaction that
 * marks the event as handled; telling them is a job of its own.
 */
@Injectable()
export class TriggerEvents {
  private readonly compiled = new Map<string, EventMatcher>();

  constructor(
    private readonly resources: ResourcesRepository,
    private readonly notifications: NotificationsRepository,
  ) {}

  @OnEveryEvent()
  async evaluate(tx: SqlTx, event: ResourceEvent): Promise<void> {
    // A trigger on notifications would call itself for ever.
    if (event.resource.type === 'notificationsvc.Notification' || event.resource._namespaces.length === 0) return;
    const told = toPublicEvent(event);
    for (const trigger of await this.resources.triggersOf(tx, event.resource._namespaces)) {
      if (this.matcherOf(trigger)(told)) await this.notify(tx, trigger, told);
    }
  }

  private async notify(tx: SqlTx, trigger: Resource, event: PublicEvent): Promise<void> {
    const body = bodyOf('trigger', trigger.body);
    const subscriptions = await this.resources.subscriptionsOf(tx, body._groups.map(({ _id }) => _id));
    for (const subscription of subscriptions) {
      const { _device } = bodyOf('subscription', subscription.body);
      const device = await this.resources.findIn(tx, trigger.namespace, 'device', _device._id);
      if (device === undefined) continue;
      await this.notifications.insertOnce(tx, await this.draft(tx, { trigger, subscription, device, event }));
    }
  }

  private async draft(tx: SqlTx, { trigger, subscription, device, event }: Telling): Promise<Notification> {
    const body = bodyOf('trigger', trigger.body);
    const { _transport, _owner, _status } = bodyOf('device', device.body);
    const sender = await this.firstOf(tx, trigger.namespace, 'sender', body._senders, _transport);
    const template = await this.firstOf(tx, trigger.namespace, 'template', body._templates, _transport);
    const skipped = reasonToSkip(sender, template, _transport, _status);
    const now = new Date();
    return {
      id: newUuid(), namespace: trigger.namespace, status: skipped === undefined ? 'SENDING' : 'SKIPPED', triggerId: trigger.id, eventId: event.uuid,
      event: { ...event }, groupId: bodyOf('subscription', subscription.body)._group._id, subscriptionId: subscription.id, deviceId: device.id,
      senderId: sender?.id ?? null, templateId: template?.id ?? null, transport: _transport, ownerIrn: _owner._irn, attempts: 0, error: skipped ?? null,
      dueAt: now, createdAt: now, updatedAt: now,
    };
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

interface Telling {
  readonly trigger: Resource;
  readonly subscription: Resource;
  readonly device: Resource;
  readonly event: PublicEvent;
}

function reasonToSkip(sender: Resource | undefined, template: Resource | undefined, transport: string, status: DeviceBody['_status']): string | undefined {
  if (status === 'BLOCKED') return 'the device is blocked';
  if (sender === undefined) return `the trigger has no sender for ${transport}`;
  if (template === undefined) return `the trigger has no template for ${transport}`;
  return undefined;
}
