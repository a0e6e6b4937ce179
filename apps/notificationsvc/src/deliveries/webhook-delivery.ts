import { Injectable } from '@nestjs/common';
import { bodyOf } from '../kinds/body-of';
import type { Notification } from '../notifications/notification';
import { DeviceSecrets } from '../resources/device-secrets';
import { toWebhookBody } from '../webhooks/webhook-body';
import { WebhookTransport } from '../webhooks/webhook-transport.adapter';
import { type DeliveryParts, Skipped } from './delivery-parts';

/** Posts the event to the device's URL, signed with the device's secret. */
@Injectable()
export class WebhookDelivery {
  constructor(
    private readonly webhooks: WebhookTransport,
    private readonly secrets: DeviceSecrets,
  ) {}

  async send(notification: Notification, { device, sender }: DeliveryParts): Promise<void> {
    const { _webhook } = bodyOf('device', device.body);
    if (_webhook === undefined) throw new Skipped('the device has no webhook');
    await this.webhooks.send({
      id: notification.id, url: _webhook._url, secret: this.secrets.open(_webhook._sealedSecret), body: toWebhookBody(notification.event),
      userAgent: bodyOf('sender', sender.body)._webhook?._userAgent ?? 'Twinyard',
    });
  }
}
