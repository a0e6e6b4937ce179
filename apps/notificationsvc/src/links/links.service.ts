import { Injectable } from '@nestjs/common';
import { formatIrn, unavailable } from '@twinyard/conventions';
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

/** So often a link is followed anew when what it changes was changed by somebody else in the same moment. */
const TRIES = 10;

/** Somebody else was faster: nothing of this try is kept. */
class ChangedMeanwhile extends Error {}

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
  async follow(token: string): Promise<FollowedLink> {
    const link = this.signer.read(token);
    if (link === undefined) return { outcome: 'unknown' };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const followed = await this.unitOfWork.run((tx) => this.act(tx, link)).catch((error: unknown) => {
        if (!(error instanceof ChangedMeanwhile)) throw error;
      });
      if (followed) return followed;
    }
    throw unavailable('What the link changes is being changed by others');
  }

  /** @throws ChangedMeanwhile */
  private async act(tx: SqlTx, link: Link): Promise<FollowedLink> {
    const redirects = await this.redirectsOf(tx, link);
    const accepts = link.action === 'accept' || link.action === 'confirm';
    const subscription = await this.subscriptionOf(tx, link);
    if (subscription === undefined) return landing('unknown', accepts ? redirects.SUBSCRIBE_FAILURE : redirects.UNSUBSCRIBE_FAILURE);
    for (const each of await this.meant(tx, link, subscription)) await this.setStatus(tx, each, accepts ? 'ACCEPTED' : 'CANCELLED');
    if (link.action === 'cancel-all') await this.withdraw(tx, subscription);
    return accepts ? landing('accepted', redirects.SUBSCRIBE_SUCCESS) : landing('cancelled', redirects.UNSUBSCRIBE_SUCCESS);
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
    const device = await this.deviceOf(tx, subscription);
    if (device === undefined) return false;
    const { _email } = device;
    if (_email._confirmedAt !== undefined && !isSameAddress(_email._address, address)) return false;
    if (typeof _email._confirmedAt !== 'string') await this.change(tx, device.resource, { _email: { _address: address, _confirmedAt: new Date().toISOString() } });
    return true;
  }

  /** Whoever wants nothing more at an address that is not the owner's is asked again before anything goes there. */
  private async withdraw(tx: SqlTx, subscription: Resource): Promise<void> {
    const device = await this.deviceOf(tx, subscription);
    if (typeof device?._email._confirmedAt === 'string') await this.change(tx, device.resource, { _email: { ...device._email, _confirmedAt: null } });
  }

  /** Nothing where it has no mail address. */
  private async deviceOf(tx: SqlTx, { namespace, body }: Resource): Promise<{ readonly resource: Resource; readonly _email: NonNullable<DeviceBody['_email']> } | undefined> {
    const resource = await this.resources.findIn(tx, namespace, 'device', bodyOf('subscription', body)._device._id);
    const _email = resource && bodyOf('device', resource.body)._email;
    return resource && _email && { resource, _email };
  }

  private async change(tx: SqlTx, resource: Resource, fields: Partial<DeviceBody> | Partial<SubscriptionBody>): Promise<void> {
    const changed = { ...resource, body: { ...resource.body, ...fields }, version: resource.version + 1, updatedAt: new Date() };
    if (!(await this.resources.replace(tx, resource.version, changed))) throw new ChangedMeanwhile();
  }

  private async setStatus(tx: SqlTx, subscription: Resource, status: SubscriptionBody['_status']): Promise<void> {
    if (subscription.body['_status'] === status) return;
    await this.change(tx, subscription, { _status: status });
    const fields = {
      _id: subscription.id, _irn: formatIrn('notificationsvc', 'subscription', subscription.id), _name: subscription.name,
      _namespaces: [subscription.namespace], _status: status,
    };
    await this.outbox.append(tx, resourceUpdated('notificationsvc.Subscription', fields, { userId: subscription.createdById, requestId: 'link' }));
  }
}

const landing = (outcome: LinkOutcome, redirect: string | undefined): FollowedLink => ({ outcome, ...(redirect !== undefined && { redirect }) });
