import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { Outbox, resourceUpdated } from '@twinyard/events';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { bodyOf } from '../kinds/body-of';
import type { DeviceBody } from '../kinds/device.kind';
import { isSameAddress } from '../kinds/mail-address';
import type { SenderBody } from '../kinds/sender.kind';
import type { SubscriptionBody } from '../kinds/subscription.kind';
import type { Resource } from '../resources/resource';
import { ResourcesRepository } from '../resources/resources.repository';
import type { LinkOutcome } from './link-pages';
import { type Link, LinkSigner } from './link-signer';

export interface FollowedLink {
  readonly outcome: LinkOutcome;
  /** Where the sender wants the reader to land. */
  readonly redirect?: string;
}

@Injectable()
export class LinksService {
  constructor(
    private readonly signer: LinkSigner,
    private readonly resources: ResourcesRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  read(token: string): Link | undefined {
    return this.signer.read(token);
  }

  /** Following a link twice changes nothing the second time. */
  follow(token: string): Promise<FollowedLink> {
    const link = this.signer.read(token);
    if (link === undefined) return Promise.resolve({ outcome: 'unknown' });
    return this.unitOfWork.run(async (tx) => {
      const redirects = await this.redirectsOf(tx, link);
      const accepts = link.action === 'accept' || link.action === 'confirm';
      const subscription = await this.subscriptionOf(tx, link);
      if (subscription === undefined) return landing('unknown', accepts ? redirects.SUBSCRIBE_FAILURE : redirects.UNSUBSCRIBE_FAILURE);
      for (const each of await this.meant(tx, link, subscription)) await this.setStatus(tx, each, accepts ? 'ACCEPTED' : 'CANCELLED');
      if (link.action === 'cancel-all') await this.withdraw(tx, subscription);
      return accepts ? landing('accepted', redirects.SUBSCRIBE_SUCCESS) : landing('cancelled', redirects.UNSUBSCRIBE_SUCCESS);
    });
  }

  private async redirectsOf(tx: SqlTx, { senderId }: Link): Promise<NonNullable<SenderBody['_redirects']>> {
    const sender = await this.resources.findById(tx, 'sender', senderId);
    return (sender && bodyOf('sender', sender.body))?._redirects ?? {};
  }

  /** Nothing where it is gone, or where its address cannot be confirmed by this link. */
  private async subscriptionOf(tx: SqlTx, link: Link): Promise<Resource | undefined> {
    const subscription = await this.resources.findById(tx, 'subscription', link.subscriptionId);
    if (subscription === undefined || link.action !== 'confirm') return subscription;
    return (await this.confirm(tx, link, subscription)) ? subscription : undefined;
  }

  private meant(tx: SqlTx, link: Link, subscription: Resource): Promise<Resource[]> {
    const { _device } = bodyOf('subscription', subscription.body);
    if (link.action === 'cancel-all') return this.resources.subscriptionsOfDevice(tx, _device._id);
    if (link.action === 'confirm') return this.waitingOn(tx, _device._id);
    return Promise.resolve([subscription]);
  }

  /** The answer is about the address: it holds for all that its owner has asked for meanwhile. */
  private async waitingOn(tx: SqlTx, deviceId: string): Promise<Resource[]> {
    return (await this.resources.subscriptionsOfDevice(tx, deviceId)).filter(({ body }) => body['_status'] === 'REQUESTED');
  }

  /** False when the device is at another address by now. */
  private async confirm(tx: SqlTx, { address = '' }: Link, subscription: Resource): Promise<boolean> {
    const device = await this.resources.findIn(tx, subscription.namespace, 'device', bodyOf('subscription', subscription.body)._device._id);
    const { _email } = device === undefined ? {} : bodyOf('device', device.body);
    if (device === undefined || _email === undefined) return false;
    if (_email._confirmedAt !== undefined && !isSameAddress(_email._address, address)) return false;
    if (typeof _email._confirmedAt === 'string') return true;
    return this.changeDevice(tx, device, { _address: address, _confirmedAt: new Date().toISOString() });
  }

  /** Whoever wants nothing more at an address that is not the owner's is asked again before anything goes there. */
  private async withdraw(tx: SqlTx, subscription: Resource): Promise<void> {
    const device = await this.resources.findIn(tx, subscription.namespace, 'device', bodyOf('subscription', subscription.body)._device._id);
    const { _email } = device === undefined ? {} : bodyOf('device', device.body);
    if (device !== undefined && typeof _email?._confirmedAt === 'string') await this.changeDevice(tx, device, { ..._email, _confirmedAt: null });
  }

  private changeDevice(tx: SqlTx, device: Resource, _email: DeviceBody['_email']): Promise<boolean> {
    return this.resources.replace(tx, device.version, { ...device, body: { ...device.body, _email }, version: device.version + 1, updatedAt: new Date() });
  }

  private async setStatus(tx: SqlTx, subscription: Resource, status: SubscriptionBody['_status']): Promise<void> {
    if (subscription.body['_status'] === status) return;
    const changed = { ...subscription, body: { ...subscription.body, _status: status }, version: subscription.version + 1, updatedAt: new Date() };
    if (!(await this.resources.replace(tx, subscription.version, changed))) return;
    const fields = {
      _id: subscription.id, _irn: formatIrn('notificationsvc', 'subscription', subscription.id), _name: subscription.name,
      _namespaces: [subscription.namespace], _status: status,
    };
    await this.outbox.append(tx, resourceUpdated('notificationsvc.Subscription', fields, { userId: subscription.createdById, requestId: 'link' }));
  }
}

const landing = (outcome: LinkOutcome, redirect: string | undefined): FollowedLink => ({ outcome, ...(redirect !== undefined && { redirect }) });
