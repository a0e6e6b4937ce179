import { Inject, Injectable } from '@nestjs/common';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { bodyOf } from '../kinds/body-of';
import { MessageLimit } from '../limits/message-limit';
import type { Notification } from '../notifications/notification';
import { DeviceSecrets } from '../resources/device-secrets';
import { toWebhookBody } from '../webhooks/webhook-body';
import { WebhookTransport } from '../webhooks/webhook-transport.adapter';
import { type DeliveryParts, Skipped } from './delivery-parts';

const HOUR_MS = 3_600_000;

/** Posts the event to the device's URL, signed with the device's secret. */
@Injectable()
export class WebhookDelivery {
  constructor(
    private readonly webhooks: WebhookTransport,
    private readonly secrets: DeviceSecrets,
    private readonly limit: MessageLimit,
    @Inject(SETTINGS) private readonly settings: NotificationsvcSettings,
  ) {}

  async send(notification: Notification, { device, sender }: DeliveryParts, signal: AbortSignal): Promise<void> {
    const { _webhook } = bodyOf('device', device.body);
    if (_webhook === undefined) throw new Skipped('the device has no webhook');
    const { origin, pathname } = new URL(_webhook._url);
    const key = `webhook ${origin}${pathname}`;
    await this.limit.take({ id: notification.id, key, limit: this.settings.NOTIFICATIONS_PER_HOUR, withinMs: HOUR_MS }, 'notifications went to the webhook');
    await this.webhooks.send({
      id: notification.id, url: _webhook._url, secret: this.secrets.open(_webhook._sealedSecret), body: toWebhookBody(notification.event),
      userAgent: bodyOf('sender', sender.body)._webhook?._userAgent ?? 'Twinyard',
    }, signal);
  }
}
