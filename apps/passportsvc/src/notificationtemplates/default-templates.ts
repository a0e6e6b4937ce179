import { authoredBy, newUuid } from '@twinyard/conventions';
import type { NotificationTemplateEntity, TemplateName } from './notification-template.entity';

const SIGNATURE = '<p>If you did not expect this mail, you need not do anything.</p>';

const TEXTS: Readonly<Record<TemplateName, { readonly title: string; readonly message: string }>> = {
  USER_GROUP_INVITE: {
    title: '${subject}',
    message: `<h1>\${body_header}</h1>
<p>\${inviter_name} invites you to join \${name}.</p>
<p>\${body_content}</p>
<p><a href="\${invite_link}">Accept the invitation</a> (it is valid until \${expire_dt})</p>
${SIGNATURE}`,
  },
  USER_GROUP_INVITE_REMINDER: {
    title: 'Reminder: ${subject}',
    message: `<h1>\${body_header}</h1>
<p>\${inviter_name} invited you on \${invite_dt} to join \${name}, and you have not answered yet.</p>
<p><a href="\${invite_link}">Accept the invitation</a> (it is valid until \${expire_dt})</p>
${SIGNATURE}`,
  },
};

/** What an application is made with: one template of each name, in English. */
export function defaultTemplates(appId: string, createdById: string): NotificationTemplateEntity[] {
  return (Object.keys(TEXTS) as TemplateName[]).map((name) => defaultTemplate(appId, name, createdById));
}

/** Also what stands in for a template that was deleted. */
export const defaultTemplate = (appId: string, name: TemplateName, createdById: string): NotificationTemplateEntity => ({
  id: newUuid(), appId, name, ...TEXTS[name], locale: 'en', format: 'text/html', ...authoredBy(createdById),
});
