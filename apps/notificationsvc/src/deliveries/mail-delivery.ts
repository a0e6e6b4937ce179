import { Inject, Injectable } from '@nestjs/common';
import { PassportClient, type UserSummary } from '@twinyard/auth';
import { MailTransport } from '@twinyard/service-kit/mail';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { bodyOf } from '../kinds/body-of';
import { deviceKind } from '../kinds/device.kind';
import { confirmedAddress, limitedMailbox } from '../kinds/mail-address';
import { isHtml } from '../kinds/mail-format';
import { MessageLimit } from '../limits/message-limit';
import { LinkSigner } from '../links/link-signer';
import type { Notification } from '../notifications/notification';
import { toResourceDto } from '../resources/resource.dto';
import { type DeliveryParts, Skipped } from './delivery-parts';
import { renderInTurn } from '../templates/template-renderer';

export interface Addressed {
  readonly parts: DeliveryParts;
  /** The owner of the device. */
  readonly reader: UserSummary;
}

const HOUR_MS = 3_600_000;

/** Renders the trigger's template and mails it to the owner of the device. */
@Injectable()
export class MailDelivery {
  private readonly perHour: { readonly limit: number; readonly withinMs: number };

  constructor(
    private readonly passport: PassportClient,
    private readonly links: LinkSigner,
    private readonly mail: MailTransport,
    private readonly limit: MessageLimit,
    @Inject(SETTINGS) settings: NotificationsvcSettings,
  ) {
    this.perHour = { limit: settings.NOTIFICATIONS_PER_HOUR, withinMs: HOUR_MS };
  }

  async send(notification: Notification, { parts, reader }: Addressed, signal: AbortSignal): Promise<void> {
    const address = confirmedAddress(bodyOf('device', parts.device.body), reader);
    if (address === undefined) throw new Skipped('the address is not confirmed');
    const cancelLink = this.linkOf('cancel', parts);
    const { _email } = bodyOf('template', parts.template.body);
    if (_email === undefined) throw new Skipped('the template has no mail');
    const html = isHtml(_email);
    const variables = { ...(await this.variablesOf(notification, parts)), cancelLink };
    const templates = [{ text: _email._subject, escape: false }, { text: _email._body, escape: html }];
    const [subject = '', body = ''] = await renderInTurn(notification.namespace, templates, variables);
    await this.limit.take({ id: notification.id, key: `mail ${limitedMailbox(address)}`, ...this.perHour }, 'notifications went to the address');
    const from = bodyOf('sender', parts.sender.body)._email;
    await this.mail.send({
      id: notification.id, to: address, subject, body, html, cancelLink,
      ...(from && { from: { name: from._displayName ?? '', address: from._address } }),
    }, signal);
  }

  private async variablesOf(notification: Notification, parts: DeliveryParts): Promise<Record<string, unknown>> {
    const { namespaces } = await this.passport.applicationsOfNamespaces({ namespaces: [notification.namespace] });
    return {
      request: notification.event,
      device: toResourceDto({ ...parts.device, body: deviceKind.shown?.(parts.device.body) ?? {} }),
      sender: toResourceDto(parts.sender),
      group: toResourceDto(parts.group),
      applicationName: namespaces[0]?.applicationName ?? '',
      cancelAllLink: this.linkOf('cancel-all', parts),
      acceptLink: this.linkOf('accept', parts),
    };
  }

  private linkOf(action: 'accept' | 'cancel' | 'cancel-all', { subscription, sender }: DeliveryParts): string {
    return this.links.urlOf({ action, subscriptionId: subscription.id, senderId: sender.id });
  }
}
