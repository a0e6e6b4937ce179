import { Inject, Injectable } from '@nestjs/common';
import type { KeepAnswer, RequestContext } from '@twinyard/auth';
import { forbidden, invalidField, limitExceeded, notFound, type Paging, type Slice } from '@twinyard/conventions';
import { Outbox, resourceCreated, resourceUpdated } from '@twinyard/events';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AppsRepository } from '../apps/apps.repository';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { InvitationLimit } from '../mails/invitation-limit';
import { toEmail } from '../users/users.repository';
import type { UserGroupEntity } from '../usergroups/usergroup.entity';
import { requireOnGroup, UserGroupsService } from '../usergroups/usergroups.service';
import type { CreateInviteDto, InviteView } from './invite.dto';
import { type InvitingPlace, toDrafts, toInvite } from './invite-draft';
import type { InviteEntity } from './invite.entity';
import { InviteMails, tenantOf } from './invite-mails';
import { requireTransition } from './invite-status';
import { toInviteEvent } from './invites.events';
import { InvitesRepository } from './invites.repository';

/** What writing an invite takes beside its table: the mail, its count and the event, in the same transaction. */
@Injectable()
export class InviteJournal {
  constructor(
    readonly unitOfWork: TypeOrmUnitOfWork,
    readonly mails: InviteMails,
    readonly limit: InvitationLimit,
    readonly outbox: Outbox,
  ) {}
}

@Injectable()
export class InvitesService {
  constructor(
    private readonly invites: InvitesRepository,
    private readonly groups: UserGroupsService,
    private readonly apps: AppsRepository,
    private readonly journal: InviteJournal,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async create(ctx: RequestContext, groupId: string, drafts: readonly CreateInviteDto[], keep?: KeepAnswer<InviteView[]>): Promise<InviteView[]> {
    const group = await this.groups.getEditable(ctx, groupId);
    const app = ctx.principal.appId === undefined ? undefined : await this.apps.findClient(ctx.principal.appId);
    if (app === undefined) throw forbidden('Inviting needs the token of an application');
    this.requireRoomToAnswer(group, drafts.length);
    const place = { group, app, lifetimeMs: this.settings.INVITE_TTL_SECONDS * 1_000 };
    const wanted = toDrafts(place, drafts);
    return this.journal.unitOfWork.run(async (tx) => {
      const sent = await this.invites.join(await this.send(tx, ctx, place, wanted), tx.manager);
      await keep?.(tx, sent);
      return sent;
    });
  }

  /** The answer tells of each invite with its group. @throws ServiceError `limit_exceeded` */
  private requireRoomToAnswer(group: UserGroupEntity, wanted: number): void {
    const most = this.invites.mostInAnswer(group);
    if (wanted > most) throw limitExceeded(`At most ${most} people can be invited to this group in one request: the answer would be too large with ${wanted}`, 'body');
  }

  /** Contract 1.5: an address has one PENDING invite a group; inviting again renews it and sends it again. */
  private async send(tx: TypeOrmTx, ctx: RequestContext, place: InvitingPlace, drafts: readonly CreateInviteDto[]): Promise<InviteEntity[]> {
    const { group } = place;
    const { mails, limit, outbox } = this.journal;
    const emails = drafts.map(({ _email }) => toEmail(_email));
    await this.invites.takeTurn(tx, group.id);
    await limit.take(tx, emails, tenantOf(group));
    const expired = await this.invites.expireOf(tx, group.id, emails);
    const pending = new Map((await this.invites.findPending(tx, group.id, emails)).map((invite) => [invite.email, invite]));
    const sent = drafts.map((draft) => toInvite(ctx, place, draft, pending.get(toEmail(draft._email))));
    await this.invites.insert(tx, sent.filter(({ email }) => !pending.has(email)));
    for (const invite of sent.filter(({ email }) => pending.has(email))) await this.invites.renew(tx, invite);
    for (const invite of sent) await mails.queue(tx, invite, group, 'USER_GROUP_INVITE', ctx.requestId);
    const told = [...expired, ...sent].map((invite) => {
      const isNew = invite.status === 'PENDING' && !pending.has(invite.email);
      return (isNew ? resourceCreated : resourceUpdated)('passportsvc.Invite', toInviteEvent(invite, group), ctx.origin);
    });
    await outbox.append(tx, ...told);
    return sent;
  }

  async list(ctx: RequestContext, groupId: string, statuses: readonly string[] | undefined, paging: Paging): Promise<Slice<InviteView>> {
    const group = await this.groups.getExisting(groupId);
    requireOnGroup(ctx, 'READ', group);
    return this.invites.listOfGroup(group.id, statuses, paging);
  }

  /**
   * Those to the caller's own address, and with `includeAll` also those of the groups that it may READ. An address counts once
   * its owner has proved it: anybody can sign up with anybody's.
   */
  async listOwn(ctx: RequestContext, includeAll: boolean, statuses: readonly string[] | undefined, paging: Paging): Promise<Slice<InviteView>> {
    const groupIds = includeAll ? await this.groups.readableIds(ctx) : [];
    return this.invites.listFor(ctx.access.verifiedEmail, groupIds, statuses, paging);
  }

  async get(ctx: RequestContext, groupId: string, id: string): Promise<InviteView> {
    const group = await this.groups.getExisting(groupId);
    const [view] = await this.invites.join(await this.found(id));
    if (view === undefined || view.group.id !== group.id) throw notFound('invite', id);
    if (!ctx.access.hasEmail(view.invite.email)) requireOnGroup(ctx, 'READ', group);
    return view;
  }

  /** Contract 1.5: CANCELLED by who may EDIT the group, REJECTED by who is invited. */
  async end(ctx: RequestContext, groupId: string, id: string, status: 'CANCELLED' | 'REJECTED', keep?: KeepAnswer<InviteView>): Promise<InviteView> {
    const { invite, group } = await this.get(ctx, groupId, id);
    if (status === 'CANCELLED') requireOnGroup(ctx, 'EDIT', group);
    else if (!ctx.access.hasEmail(invite.email)) throw forbidden('Only who is invited can reject an invite');
    requireTransition(invite, status, new Date());
    const { unitOfWork, outbox } = this.journal;
    return unitOfWork.run(async (tx) => {
      if (!(await this.invites.end(tx, id, status, ctx.callerId))) throw invalidField('_status', 'the invite has been answered meanwhile');
      await outbox.append(tx, resourceUpdated('passportsvc.Invite', toInviteEvent({ ...invite, status }, group), ctx.origin));
      const [ended] = await this.invites.join(await this.invites.findIn(tx, [id]), tx.manager);
      if (ended === undefined) throw notFound('invite', id);
      await keep?.(tx, ended);
      return ended;
    });
  }

  private async found(id: string): Promise<InviteEntity[]> {
    const invite = await this.invites.find(id);
    return invite === undefined ? [] : [invite];
  }
}
