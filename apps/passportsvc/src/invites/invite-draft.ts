import type { RequestContext } from '@twinyard/auth';
import { authoredBy, type FieldIssue, invalidFields, newUuid } from '@twinyard/conventions';
import type { AppEntity } from '../apps/app.entity';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import { toEmail } from '../users/users.repository';
import type { CreateInviteDto } from './invite.dto';
import type { InviteEntity, InviteParams } from './invite.entity';

export interface InvitingPlace {
  readonly group: UserGroupEntity;
  readonly app: AppEntity;
  readonly lifetimeMs: number;
}

/** One for each address: of several entries the last one holds. @throws ServiceError `invalid` that names every fault of every entry. */
export function toDrafts(place: InvitingPlace, drafts: readonly CreateInviteDto[]): CreateInviteDto[] {
  const issues = drafts.flatMap(({ _params }, index) => addressIssues(_params ?? {}, place.app).map(({ field, issue }) => ({ field: `[${index}].${field}`, issue })));
  if (issues.length > 0) throw invalidFields(issues);
  return [...new Map(drafts.map((draft) => [toEmail(draft._email), draft])).values()];
}

/** `pending`: what was sent to the address before. It is renewed, so that its link goes on to work. */
export function toInvite(ctx: RequestContext, { group, app, lifetimeMs }: InvitingPlace, { _email, _params = {} }: CreateInviteDto, pending: InviteEntity | undefined): InviteEntity {
  const id = pending?.id ?? newUuid();
  const authored = { ...authoredBy(ctx.callerId), ...(pending && { createdAt: pending.createdAt, createdById: pending.createdById }) };
  const now = authored.updatedAt.getTime();
  return {
    id, groupId: group.id, email: toEmail(_email), appId: app.id, params: completed(ctx, group, app, id, _params), status: 'PENDING',
    expiresAt: new Date(now + lifetimeMs), remindAt: new Date(now + lifetimeMs / 2), ...authored,
  };
}

/** What the platform adds to the parameters, and what it says where the caller says nothing (specification 1, invites). */
function completed(ctx: RequestContext, group: UserGroupEntity, app: AppEntity, inviteId: string, sent: InviteParams): InviteParams {
  const baseUrl = new URL(String(sent['base_url']));
  const link = new URL(typeof sent['invite_link'] === 'string' ? sent['invite_link'] : '', baseUrl);
  link.searchParams.delete('inviteId');
  link.searchParams.append('inviteId', inviteId);
  const fromUserName = ctx.access.callerName ?? app.name;
  return {
    locale: 'en', name: group.name, inviter_name: fromUserName, subject: `${fromUserName} invites you to ${group.name}`, body_header: 'You are invited', body_content: '',
    ...sent, invite_link: link.href, host: baseUrl.host, fromUserName, APP_ID: app.id,
  };
}

/** The origin of `base_url` is one that the application registered, so that mails of the platform lead nowhere else. */
function addressIssues(params: InviteParams, app: AppEntity): FieldIssue[] {
  const field = '_params.base_url';
  const base = params['base_url'];
  if (typeof base !== 'string' || !URL.canParse(base)) return [{ field, issue: 'must be the address of the web application' }];
  const { origin } = new URL(base);
  if (!originsOf(app).has(origin)) return [{ field, issue: 'is not among the origins and redirect URIs of the application' }];
  const link = params['invite_link'];
  if (link === undefined || link === null) return [];
  const isRelative = typeof link === 'string' && URL.canParse(link, base) && new URL(link, base).origin === origin;
  return isRelative ? [] : [{ field: '_params.invite_link', issue: 'must be a path below base_url' }];
}

function originsOf({ authorizedOrigins, redirectUris }: AppEntity): ReadonlySet<string> {
  return new Set([...authorizedOrigins, ...redirectUris].filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri).origin).filter((origin) => origin !== 'null'));
}
