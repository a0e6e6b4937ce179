import { Injectable } from '@nestjs/common';
import { PassportClient, type UserSummary } from '@twinyard/auth';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { Skipped } from '../deliveries/delivery-parts';
import { renderInTurn } from '../templates/template-renderer';
import { bodyOf } from '../kinds/body-of';
import { addressToConfirm, confirmedAddress, limitedMailbox } from '../kinds/mail-address';
import { isHtml } from '../kinds/mail-format';
import { MessageLimit } from '../limits/message-limit';
import { LinkSigner } from '../links/link-signer';
import type { Notification } from '../notifications/notification';
import type { Resource } from '../resources/resource';
import { toResourceDto } from '../resources/resource.dto';
import { ResourcesRepository } from '../resources/resources.repository';
import { confirmationMail } from './confirmation-mail';
import { ConfirmationPost } from './confirmation-post';

interface Parts {
  readonly device: Resource;
  readonly group: Resource | undefined;
  readonly sender: Resource | undefined;
  readonly template: Resource | undefined;
}

const DAY_MS = 86_400_000;

/** Asks an address whether it may be used. */
@Injectable()
export class ConfirmationDelivery {
  constructor(
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly passport: PassportClient,
    private readonly links: LinkSigner,
    private readonly limit: MessageLimit,
    private readonly mail: ConfirmationPost,
  ) {}

  async send(notification: Notification, owner: UserSummary, signal: AbortSignal): Promise<void> {
    const parts = await this.unitOfWork.run((tx) => this.partsOf(tx, notification));
    const device = bodyOf('device', parts.device.body);
    if (confirmedAddress(device, owner) !== undefined) throw new Skipped('the address is confirmed already');
    const address = addressToConfirm(device, owner);
    const { subscriptionId, namespace, id } = notification;
    const acceptLink = this.links.urlOf({ action: 'confirm', subscriptionId, senderId: parts.sender?.id ?? '', address });
    const { namespaces } = await this.passport.applicationsOfNamespaces({ namespaces: [namespace] });
    const applicationName = namespaces[0]?.applicationName ?? '';
    const words = await this.wordsOf(namespace, parts, { applicationName, acceptLink });
    await this.limit.take({ id, key: `confirm in ${namespace}`, limit: this.mail.perNamespace, withinMs: DAY_MS }, 'confirmation mails went out for this namespace');
    await this.limit.take({ id, key: `confirm ${limitedMailbox(address)}`, limit: this.mail.perAddress, withinMs: DAY_MS }, 'confirmation mails went to the address');
    await this.mail.send(id, address, confirmationMail({ applicationName, acceptLink, words }), signal);
  }

  private async partsOf(tx: SqlTx, { namespace, subscriptionId, deviceId, groupId }: Notification): Promise<Parts> {
    const subscription = await this.resources.findIn(tx, namespace, 'subscription', subscriptionId);
    if (subscription?.body['_status'] !== 'REQUESTED') throw new Skipped('the subscription is not waiting any more');
    const device = await this.resources.findIn(tx, namespace, 'device', deviceId);
    if (device === undefined) throw new Skipped('the device is gone');
    const sender = await this.resources.askingSender(tx, namespace, groupId);
    const templateId = sender && bodyOf('sender', sender.body)._templates?.SUBSCRIBE_VERIFY;
    const template = templateId === undefined ? undefined : await this.resources.findIn(tx, namespace, 'template', templateId);
    return { device, sender, template, group: await this.resources.findIn(tx, namespace, 'group', groupId) };
  }

  /** Of a template in HTML nothing is taken: what may look like anybody's mail is not sent to somebody who has not asked for it. */
  private async wordsOf(namespace: string, { sender, template, group }: Parts, variables: Record<string, unknown>): Promise<string | undefined> {
    const { _email } = template === undefined ? {} : bodyOf('template', template.body);
    if (_email === undefined || isHtml(_email)) return undefined;
    const shown = { ...variables, request: {}, ...(sender && { sender: toResourceDto(sender) }), ...(group && { group: toResourceDto(group) }) };
    const [words] = await renderInTurn(namespace, [{ text: _email._body, escape: false }], shown);
    return words;
  }
}
