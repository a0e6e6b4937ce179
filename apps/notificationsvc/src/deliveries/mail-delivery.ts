import { Injectable } from '@nestjs/common';
import { PassportClient, type UserSummary } from '@twinyard/auth';
import { MailTransport } from '@twinyard/service-kit/mail';
import { bodyOf } from '../kinds/body-of';
import { deviceKind } from '../kinds/device.kind';
import { LinkSigner } from '../links/link-signer';
import type { Notification } from '../notifications/notification';
import { toResourceDto } from '../resources/resource.dto';
import { type DeliveryParts, Skipped } from './delivery-parts';
import { beginsWithTag, renderTemplates } from './template-renderer';

/** Renders the trigger's template and mails it to the owner of the device. */
@Injectable()
export class MailDelivery {
  constructor(
    private readonly passport: PassportClient,
    private readonly links: LinkSigner,
    private readonly mail: MailTransport,
  ) {}

  async send(notification: Notification, parts: DeliveryParts, reader: UserSummary): Promise<void> {
    const cancelLink = this.linkOf('cancel', parts);
    const { _email } = bodyOf('template', parts.template.body);
    if (_email === undefined) throw new Skipped('the template has no mail');
    const html = _email._format === undefined ? beginsWithTag(_email._body) : _email._format === 'HTML';
    const [subject = '', body = ''] = await renderTemplates(
      [{ text: _email._subject, escape: false }, { text: _email._body, escape: html }],
      { ...(await this.variablesOf(notification, parts)), cancelLink },
    );
    const from = bodyOf('sender', parts.sender.body)._email;
    await this.mail.send({
      id: notification.id, to: reader.email, subject, body, html, cancelLink,
      ...(from && { from: { name: from._displayName ?? '', address: from._address } }),
    });
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
