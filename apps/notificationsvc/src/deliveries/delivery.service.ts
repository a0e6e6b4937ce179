import { Injectable } from '@nestjs/common';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { ConfirmationDelivery } from '../confirmations/confirmation-delivery';
import { bodyOf } from '../kinds/body-of';
import type { Notification } from '../notifications/notification';
import type { Resource } from '../resources/resource';
import { ResourcesRepository } from '../resources/resources.repository';
import { MailDelivery } from './mail-delivery';
import { type DeliveryParts, Skipped } from './delivery-parts';
import { Readers } from './readers';
import { WebhookDelivery } from './webhook-delivery';

/** Tells one device of one event. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly readers: Readers,
    private readonly mails: MailDelivery,
    private readonly webhooks: WebhookDelivery,
    private readonly confirmations: ConfirmationDelivery,
  ) {}

  /** @throws Skipped when nobody is to be told any more; anything else that it throws is tried again. */
  async deliver(notification: Notification, signal: AbortSignal): Promise<void> {
    if (notification.purpose === 'CONFIRMATION') return this.confirmations.send(notification, await this.readers.of(notification), signal);
    const parts = await this.unitOfWork.run((tx) => this.partsOf(tx, notification));
    const reader = await this.readers.of(notification);
    if (notification.transport === 'WEBHOOK') await this.webhooks.send(notification, parts, signal);
    else await this.mails.send(notification, { parts, reader }, signal);
  }

  private async partsOf(tx: SqlTx, { namespace, subscriptionId, deviceId, senderId, templateId, groupId }: Notification): Promise<DeliveryParts> {
    const find = async (kind: Resource['kind'], id: string | null) => {
      const found = id === null ? undefined : await this.resources.findIn(tx, namespace, kind, id);
      if (found === undefined) throw new Skipped(`the ${kind} is gone`);
      return found;
    };
    const subscription = await find('subscription', subscriptionId);
    if (bodyOf('subscription', subscription.body)._status !== 'ACCEPTED') throw new Skipped('the subscription was cancelled');
    const device = await find('device', deviceId);
    if (bodyOf('device', device.body)._status === 'BLOCKED') throw new Skipped('the device is blocked');
    return { subscription, device, sender: await find('sender', senderId), template: await find('template', templateId), group: await find('group', groupId) };
  }
}
