import { Injectable } from '@nestjs/common';
import { Access, GrantSource, PassportClient, type UserSummary } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { bodyOf } from '../kinds/body-of';
import type { Notification } from '../notifications/notification';
import type { Resource } from '../resources/resource';
import { ResourcesRepository } from '../resources/resources.repository';
import { MailDelivery } from './mail-delivery';
import { type DeliveryParts, Skipped } from './delivery-parts';
import { WebhookDelivery } from './webhook-delivery';

/** Tells one device of one event. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly passport: PassportClient,
    private readonly grants: GrantSource,
    private readonly mails: MailDelivery,
    private readonly webhooks: WebhookDelivery,
  ) {}

  /** @throws Skipped when nobody is to be told any more; anything else that it throws is tried again. */
  async deliver(notification: Notification): Promise<void> {
    const parts = await this.unitOfWork.run((tx) => this.partsOf(tx, notification));
    const reader = await this.readerOf(notification);
    if (notification.transport === 'WEBHOOK') await this.webhooks.send(notification, parts);
    else await this.mails.send(notification, parts, reader);
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

  /** The owner of the device, as it is now: its present address, and whether it may still see the namespace. */
  private async readerOf({ ownerIrn, namespace }: Notification): Promise<UserSummary> {
    const id = ownerIrn.split(':')[2] ?? '';
    const { users } = await this.passport.users({ ids: [id] });
    const reader = users[0];
    if (reader === undefined || reader.disabled) throw new Skipped('the owner of the device is gone');
    const principal: Principal = { type: 'user', id, tokenId: '', scopes: ['read'] };
    const access = new Access(await this.grants.resolve(principal), ['read'], [namespace]);
    if (access.scope('READ', 'notificationsvc:subscription').areas.length === 0) throw new Skipped('the owner of the device may not see the namespace any more');
    return reader;
  }
}
