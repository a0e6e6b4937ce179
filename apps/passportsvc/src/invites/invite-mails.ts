import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { MailsRepository } from '../mails/mails.repository';
import { defaultTemplate } from '../notificationtemplates/default-templates';
import type { TemplateName } from '../notificationtemplates/notification-template.entity';
import { NotificationTemplatesRepository } from '../notificationtemplates/notification-templates.repository';
import { renderTemplate } from '../notificationtemplates/rendered-template';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import type { InviteEntity } from './invite.entity';

/** Mails of an organization take turns with those of others, and count together, whichever of its groups and applications invite. */
export const tenantOf = ({ orgId, parentNamespace }: UserGroupEntity): string => orgId ?? parentNamespace;

/** Queues the mails of invites, in the invite's locale. */
@Injectable()
export class InviteMails {
  constructor(
    private readonly templates: NotificationTemplatesRepository,
    private readonly mails: MailsRepository,
  ) {}

  async queue(tx: TypeOrmTx, invite: InviteEntity, group: UserGroupEntity, name: TemplateName, requestId?: string): Promise<void> {
    const locale = typeof invite.params['locale'] === 'string' ? invite.params['locale'] : 'en';
    const template = (await this.templates.findFor(tx, invite.appId, name, locale)) ?? defaultTemplate(invite.appId, name, invite.createdById);
    const variables = { ...invite.params, invite_dt: dateText(invite.updatedAt, template.locale), expire_dt: dateText(invite.expiresAt, template.locale) };
    await this.mails.insert(tx, { id: newUuid(), recipient: invite.email, ...renderTemplate(template, variables) }, { tenant: tenantOf(group), requestId });
  }
}

const dateText = (date: Date, locale: string): string => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
