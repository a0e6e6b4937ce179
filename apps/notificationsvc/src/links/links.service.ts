import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { Outbox, resourceUpdated } from '@twinyard/events';
import { type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { bodyOf } from '../kinds/body-of';
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
      const subscription = await this.resources.findById(tx, 'subscription', link.subscriptionId);
      const sender = await this.resources.findById(tx, 'sender', link.senderId);
      const redirects = (sender && bodyOf('sender', sender.body))?._redirects ?? {};
      const accepts = link.action === 'accept';
      if (subscription === undefined) return landing('unknown', accepts ? redirects.SUBSCRIBE_FAILURE : redirects.UNSUBSCRIBE_FAILURE);
      const status = accepts ? 'ACCEPTED' : 'CANCELLED';
      for (const each of await this.meant(tx, link, subscription)) await this.setStatus(tx, each, status);
      return accepts ? landing('accepted', redirects.SUBSCRIBE_SUCCESS) : landing('cancelled', redirects.UNSUBSCRIBE_SUCCESS);
    });
  }

  private meant(tx: SqlTx, link: Link, subscription: Resource): Promise<Resource[]> {
    const { _device } = bodyOf('subscription', subscription.body);
    return link.action === 'cancel-all' ? this.resources.subscriptionsOfDevice(tx, _device._id) : Promise.resolve([subscription]);
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
